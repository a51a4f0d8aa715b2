package dev.weir.bench.explore;

/** A trial and its outcome. Immutable. */
public record Trial(Attempt attempt, Outcome outcome) {

    public boolean passed() {
        return outcome.result() == Outcome.Result.PASSED;
    }
}
