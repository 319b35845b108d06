"""The server of `cclab app`: Voilà with our pages and kernels. All that touches the insides of Jupyter is here."""
