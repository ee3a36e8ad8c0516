"""What a stranger's socket meets before any route: proxies, connections, and quotas."""
