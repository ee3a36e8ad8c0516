"""Katas: small exercises that answer a knowledge gap."""
