package dev.weir.bench.result;

/** A reason to doubt the figures of a run. */
public enum Flag {
    /** The load generator fell behind its plan, so the figures describe the generator, not the driver. */
    GENERATOR_BOUND(true, "the generator was the bottleneck"),
    /**
     * The brokers were the bottleneck, so the driver's rate is only a lower bound and is not quoted. The driver's costs
     * are quoted.
     */
    BROKER_BOUND(false, "held back by the broker, its rate is not quoted"),
    /**
     * The brokers were the bottleneck of the baseline driver. Since the baseline's rate is the divisor of all ratios,
     * the ratios would be too high.
     */
    BASELINE_BROKER_BOUND(true, "the broker held the baseline back"),
    /** Records were lost, duplicated or out of order although the scenario guarantees otherwise. */
    GUARANTEE_BROKEN(true, "the asked guarantee was broken"),
    /** The run was changed by orders or its timeline, so it is not comparable with other runs. */
    CHANGED(true, "changed while it ran"),
    /** The load was not spread over the partitions as requested, or a process of the group received no records. */
    UNEVEN(false, "load spread otherwise than asked"),
    /** No steady state was found before measuring, or the rate drifted while measuring. */
    NOT_STEADY(false, "no steady state"),
    /** The JIT compilers took part of the processor time while the run was measured, so the costs are too high. */
    COMPILING(false, "still being compiled"),
    /**
     * Client and broker together used all cores. Ratios then show which driver uses the machine better, not how fast
     * each driver could be.
     */
    MACHINE_SATURATED(false, "all cores were busy");

    private final boolean voiding;
    private final String text;

    Flag(boolean voiding, String text) {
        this.voiding = voiding;
        this.text = text;
    }

    /** Returns whether the run must not be quoted. */
    public boolean isVoiding() {
        return voiding;
    }

    /** A description for people. */
    public String text() {
        return text;
    }
}
