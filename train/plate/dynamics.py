"""Latent models of a plate: the paper's recurrent state space model (RSSM), and a small unrolled one beside it.

`python -m train.plate --only rssm,small` trains both. Needs torch and numpy, and nothing of handup, so it also runs on
a machine that has nothing else: `python train/plate/dynamics.py DATA.npz OUT --only rssm small`.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

PIXELS = 64
PRIMITIVES = 2
GAINS = 2
"""What a model predicts of each action: the share that is taken, and the loss of coverage in shares of a full plate."""
SCALE = 10.0
"""Gains are learned in tenths of a plate."""


@dataclass(frozen=True, kw_only=True)
class Fit:
    """Settings of a training.

    Args:
        steps: Updates.
        batch: Episodes of each.
        rate: Learning rate.
        gains: Weight of the gains in the loss.
        kl_steps: Steps over which the transition is compared with what was seen; 1 is what the public code does.
        free_nats: Divergence that costs nothing.
        clip: Largest norm of the gradient.
        seed: Source of chance.
    """

    steps: int = 2250
    batch: int = 32
    rate: float = 1e-3
    gains: float = 10.0
    kl_steps: int = 10
    free_nats: float = 3.0
    clip: float = 1000.0
    seed: int = 0


class Plays:
    """Recorded episodes on a device, drawn in batches with flips, and with quarter turns where the tools allow them."""

    def __init__(self, path: Path, device: torch.device, *, turns: bool, episodes: int | None = None) -> None:
        with np.load(path) as file:
            masks, done, taken = (file[name][:episodes] for name in ("masks", "done", "taken"))
        bits = torch.from_numpy(masks).to(device)
        shifts = torch.arange(7, -1, -1, device=device, dtype=torch.uint8)
        self.masks = ((bits[..., None] >> shifts) & 1).reshape(*masks.shape[:2], PIXELS, PIXELS).bool()
        self.done = torch.from_numpy(done.astype(np.int64)).to(device)
        covered = self.masks.float().mean((2, 3))
        loss = (covered[:, :-1] - covered[:, 1:]) / covered[:, :1].clamp(min=1e-6)
        self.gains = torch.stack([torch.from_numpy(taken).to(device), loss], dim=2) * SCALE
        self.live = self.done >= 0
        self.gains = self.gains * self.live[..., None]
        self.turns = turns

    def draw(self, count: int, random: torch.Generator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return masks, primitives as one-hot rows, gains, and which actions were done, each with time first."""
        rows = torch.randint(len(self.done), (count,), generator=random).to(self.done.device)
        masks = self.masks[rows].float()
        flips = torch.randint(8 if self.turns else 4, (count,), generator=random).to(self.done.device)
        masks = torch.where((flips & 1).bool()[:, None, None, None], masks.flip(2), masks)
        masks = torch.where((flips & 2).bool()[:, None, None, None], masks.flip(3), masks)
        masks = torch.where((flips & 4).bool()[:, None, None, None], masks.transpose(2, 3), masks)
        done = functional.one_hot(self.done[rows].clamp(min=0), PRIMITIVES).float()
        return masks.transpose(0, 1), done.transpose(0, 1), self.gains[rows].transpose(0, 1), self.live[rows].T


class Rssm(nn.Module):
    """The paper's model, as in Hafner et al. 2019: a GRU's state and 30 Gaussian numbers, seen through a decoder."""

    latent, belief, hidden, embedding, min_std = 30, 200, 200, 1024, 0.1

    def __init__(self) -> None:
        super().__init__()
        state = self.belief + self.latent
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 32, 4, 2), nn.ReLU(), nn.Conv2d(32, 64, 4, 2), nn.ReLU(),
            nn.Conv2d(64, 128, 4, 2), nn.ReLU(), nn.Conv2d(128, 256, 4, 2), nn.ReLU(), nn.Flatten(),
        )  # fmt: skip
        self.act = nn.Linear(self.latent + PRIMITIVES, self.belief)
        self.fresh = nn.Linear(self.belief, 3 * self.belief)
        self.stale = nn.Linear(self.belief, 3 * self.belief)
        self.prior = nn.Sequential(
            nn.Linear(self.belief, self.hidden), nn.ReLU(), nn.Linear(self.hidden, 2 * self.latent)
        )
        self.posterior = nn.Sequential(
            nn.Linear(self.belief + self.embedding, self.hidden), nn.ReLU(), nn.Linear(self.hidden, 2 * self.latent)
        )
        self.reward = nn.Sequential(
            nn.Linear(state, self.hidden), nn.ReLU(), nn.Linear(self.hidden, self.hidden), nn.ReLU(),
            nn.Linear(self.hidden, GAINS),
        )  # fmt: skip
        self.spread = nn.Linear(state, self.embedding)
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(self.embedding, 128, 5, 2), nn.ReLU(), nn.ConvTranspose2d(128, 64, 5, 2), nn.ReLU(),
            nn.ConvTranspose2d(64, 32, 6, 2), nn.ReLU(), nn.ConvTranspose2d(32, 1, 6, 2),
        )  # fmt: skip

    def step(self, belief: Tensor, latent: Tensor, done: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the next belief, and mean and deviation of the latent numbers by the transition."""
        # A GRU cell, written out for the export.
        fresh = self.fresh(functional.relu(self.act(torch.cat([latent, done], 1)))).chunk(3, 1)
        stale = self.stale(belief).chunk(3, 1)
        reset, update = torch.sigmoid(fresh[0] + stale[0]), torch.sigmoid(fresh[1] + stale[1])
        belief = update * belief + (1.0 - update) * torch.tanh(fresh[2] + reset * stale[2])
        return belief, *self._gaussian(self.prior(belief))

    def see(self, belief: Tensor, embedded: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and deviation of the latent numbers, once a mask was seen."""
        return self._gaussian(self.posterior(torch.cat([belief, embedded], 1)))

    def _gaussian(self, numbers: Tensor) -> tuple[Tensor, Tensor]:
        mean, raw = numbers.chunk(2, 1)
        return mean, functional.softplus(raw) + self.min_std

    def seen(self, states: Tensor) -> Tensor:
        """Return the masks that these states stand for."""
        pictures: Tensor = self.decoder(self.spread(states)[:, :, None, None])
        return pictures[:, 0]

    def loss(self, masks: Tensor, done: Tensor, gains: Tensor, live: Tensor, fit: Fit) -> Tensor:
        """Return the loss of a batch: masks, gains along what was seen and along what is imagined, divergences."""
        actions, count = done.shape[:2]
        embedded = self.encoder(masks.flatten(0, 1)[:, None]).unflatten(0, masks.shape[:2])
        belief, latent = masks.new_zeros(count, self.belief), masks.new_zeros(count, self.latent)
        action = masks.new_zeros(count, PRIMITIVES)
        beliefs: list[Tensor] = []
        latents: list[Tensor] = []
        means: list[Tensor] = []
        stds: list[Tensor] = []
        for moment in range(actions + 1):
            belief, _, _ = self.step(belief, latent, action)
            mean, std = self.see(belief, embedded[moment])
            latent = mean + std * torch.randn_like(std)
            action = done[moment] if moment < actions else action
            for kept, new in ((beliefs, belief), (latents, latent), (means, mean), (stds, std)):
                kept.append(new)
        states = torch.cat([torch.stack(beliefs), torch.stack(latents)], 2)
        there = torch.cat([torch.ones_like(live[:1]), live])
        pictures = self.seen(states.flatten(0, 1)).unflatten(0, there.shape)
        total = (((pictures - masks) ** 2).sum((2, 3)) * there).sum() / there.sum()
        of_seen = ((self.reward(states[1:]) - gains) ** 2).sum(2)
        total = total + fit.gains * (of_seen * live).sum() / live.sum()
        # From each moment on, imagine what was done next: all moments at once, one step further each time.
        belief, latent = torch.stack(beliefs[:-1]), torch.stack(latents[:-1])
        for ahead in range(1, actions + 1):
            begun = actions + 1 - ahead
            belief, latent = belief[:begun].flatten(0, 1), latent[:begun].flatten(0, 1)
            belief, mean, std = self.step(belief, latent, done[ahead - 1 :].flatten(0, 1))
            latent = mean + std * torch.randn_like(std)
            here = live[ahead - 1 :].flatten(0, 1)
            wrong = ((self.reward(torch.cat([belief, latent], 1)) - gains[ahead - 1 :].flatten(0, 1)) ** 2).sum(1)
            total = total + fit.gains * (wrong * here).sum() / here.sum().clamp(min=1) / actions
            if ahead <= fit.kl_steps:
                after, spread = torch.stack(means[ahead:]).flatten(0, 1), torch.stack(stds[ahead:]).flatten(0, 1)
                if ahead > 1:  # the encoder is not drawn to what is imagined far ahead
                    after, spread = after.detach(), spread.detach()
                both = torch.distributions.kl_divergence(
                    torch.distributions.Normal(after, spread), torch.distributions.Normal(mean, std)
                )
                costs = both.sum(1).clamp(min=fit.free_nats)
                total = total + (costs * here).sum() / here.sum().clamp(min=1) / (1 if ahead == 1 else fit.kl_steps)
            belief, latent = belief.unflatten(0, (begun, count)), latent.unflatten(0, (begun, count))
        return total


class Small(nn.Module):
    """A mask becomes 64 numbers; these and a primitive become the next 64, and the gains."""

    latent = 64

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 16, 8, 4, padding=2), nn.ReLU(), nn.Conv2d(16, 16, 4, 2, padding=1), nn.ReLU(),
            nn.Conv2d(16, 16, 4, 2, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(256, self.latent),
        )  # fmt: skip
        self.move = nn.Sequential(
            nn.Linear(self.latent + PRIMITIVES, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(),
            nn.Linear(128, self.latent),
        )  # fmt: skip
        self.reward = nn.Sequential(nn.Linear(self.latent + PRIMITIVES, 64), nn.ReLU(), nn.Linear(64, GAINS))

    def step(self, latent: Tensor, done: Tensor) -> tuple[Tensor, Tensor]:
        """Return the next numbers, and the gains."""
        both = torch.cat([latent, done], 1)
        return latent + self.move(both), self.reward(both)

    def loss(self, masks: Tensor, done: Tensor, gains: Tensor, live: Tensor, fit: Fit) -> Tensor:
        """Return the error of the gains, unrolled from each moment to the end."""
        actions, count = done.shape[:2]
        latent = self.encoder(masks[:-1].flatten(0, 1)[:, None]).unflatten(0, (actions, count))
        total = masks.new_zeros(())
        for ahead in range(actions):
            begun = actions - ahead
            moved, guess = self.step(latent[:begun].flatten(0, 1), done[ahead:].flatten(0, 1))
            latent = moved.unflatten(0, (begun, count))
            wrong = ((guess - gains[ahead:].flatten(0, 1)) ** 2).sum(1)
            total = total + (wrong * live[ahead:].flatten()).sum()
        return total * fit.gains / live.sum() / actions


MODELS: dict[str, type[Rssm] | type[Small]] = {"rssm": Rssm, "small": Small}
MEMBERS = {"rssm": 1, "small": 5}
"""Networks of one model, which plans with the mean of their gains."""


def fitted(name: str, plays: Plays, fit: Fit, device: torch.device) -> tuple[nn.Module, list[float]]:
    """Return a trained model, and its mean loss over each tenth of the updates."""
    torch.manual_seed(fit.seed)
    random = torch.Generator().manual_seed(fit.seed)
    model = MODELS[name]().to(device)
    optimiser = torch.optim.Adam(model.parameters(), lr=fit.rate, eps=1e-4)
    # The rate falls towards the end: with few episodes the last updates would otherwise decide by chance.
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: min(1.0, 2.0 * (1.0 - step / fit.steps)))
    losses: list[Tensor] = []
    for _ in range(fit.steps):
        optimiser.zero_grad(set_to_none=True)
        loss = model.loss(*plays.draw(fit.batch, random), fit)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), fit.clip)
        optimiser.step()
        schedule.step()
        losses.append(loss.detach())
    curve = torch.stack(losses).cpu().numpy()
    return model, [float(part.mean()) for part in np.array_split(curve, 10)]


def weights_of(model: nn.Module) -> dict[str, NDArray[Any]]:
    """Return the weights, without the decoder, which planning does not need."""
    kept = {name: weight for name, weight in model.state_dict().items() if not name.startswith(("decoder", "spread"))}
    return {name: weight.cpu().numpy() for name, weight in kept.items()}


def load_weights(model: nn.Module, path: Path) -> nn.Module:
    """Put weights that `weights_of` returned back into a model."""
    with np.load(path) as file:
        model.load_state_dict({name: torch.from_numpy(file[name]) for name in file.files}, strict=False)
    return model.eval()


def train(data: Path, out: Path, name: str, fit: Fit, *, turns: bool, episodes: int | None = None) -> None:
    """Train all networks of a model, and write their weights and how it went."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    begun = time.perf_counter()
    plays = Plays(data, device, turns=turns, episodes=episodes)
    curves = []
    for member in range(MEMBERS[name]):
        settings = Fit(**{**vars(fit), "seed": 100 * fit.seed + member})
        model, curve = fitted(name, plays, settings, device)
        np.savez(out / f"{name}-{fit.seed}-{member}.npz", allow_pickle=False, **weights_of(model))
        curves.append(curve)
    record = {
        **vars(fit), "episodes": len(plays.done), "losses": curves, "seconds": round(time.perf_counter() - begun, 1),
        "device": str(device), "torch": torch.__version__,
    }  # fmt: skip
    (out / f"{name}-{fit.seed}.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(name, fit.seed, record["seconds"], "s", [round(loss, 3) for loss in curves[0]], flush=True)


def main() -> None:
    """Train on packed episodes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="episodes: masks, done, taken")
    parser.add_argument("out", type=Path, help="folder for the weights")
    parser.add_argument("--only", nargs="*", default=[*MODELS], choices=[*MODELS])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--steps", type=int, default=2250)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--kl-steps", type=int, default=10)
    parser.add_argument("--episodes", type=int, help="only so many of them")
    parser.add_argument("--turns", action="store_true", help="also turn the plates by quarters")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for name in given.only:
        for seed in given.seeds:
            fit = Fit(steps=given.steps, batch=given.batch, kl_steps=given.kl_steps, seed=seed)
            train(given.data, given.out, name, fit, turns=given.turns, episodes=given.episodes)


if __name__ == "__main__":
    main()
