package dev.weir.cli.tune;

import dev.weir.metrics.Limiter;
import dev.weir.metrics.Limiter.Kind;

/** Limiters as they might be found. */
final class Limiters {

    private Limiters() {}

    static Limiter cpu(String stage, double gain) {
        return of(Kind.STAGE_CPU, stage, gain);
    }

    static Limiter of(Kind kind, String name, double gain) {
        return Limiter.of(kind, name, "a finding", "an advice", gain);
    }
}
