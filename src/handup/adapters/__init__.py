"""Adapters to programs and services of others. The core never imports them; each needs its package only when used."""
