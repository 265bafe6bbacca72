"""What the experiments notebooks need beside their protocol: drawings, and special experiments."""
