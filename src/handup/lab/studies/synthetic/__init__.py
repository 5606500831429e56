"""The paper's seven synthetic experiments: cells of simulated episodes, and its claims about them one by one."""
