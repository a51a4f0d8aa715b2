package dev.weir.bench.result;

/** A reason to doubt the figures of a run. */
public enum Flag {
    /** The load generator fell behind its plan, so the figures describe the generator, not the driver. */
    GENERATOR_BOUND(true, "the generator was the bottleneck"),
    /**
     * The brokers were the bottleneck, so the driver might have been faster. Its rate is only a lower bound and is not
     * quoted. The CPU and memory costs of the driver are still quoted.
     */
    BROKER_BOUND(false, "held back by the broker, its rate is not quoted"),
    /** The brokers were the bottleneck in the baseline's run. Ratios to the baseline would be too high. */
    BASELINE_BROKER_BOUND(true, "the broker held the baseline back"),
    /** Records were lost, duplicated or out of order although the scenario guarantees otherwise. */
    GUARANTEE_BROKEN(true, "the asked guarantee was broken"),
    /**
     * The run was changed while it was measured, by a user or by its timeline, so it is not comparable with other runs.
     */
    CHANGED(true, "changed while it ran"),
    /**
     * The load was not spread over the partitions as requested, or one of the group's processes received no records.
     */
    UNEVEN(false, "load spread otherwise than asked"),
    /** The rate had not become steady before the measurement began, or it drifted during the measurement. */
    NOT_STEADY(false, "no steady state"),
    /** The JIT compilers used part of the processor time during the measurement, so the measured costs are too high. */
    COMPILING(false, "still being compiled"),
    /** Client and broker together used all cores. The ratios then compare efficiency, not speed. */
    MACHINE_SATURATED(false, "all cores were busy");

    private final boolean voiding;
    private final String text;

    Flag(boolean voiding, String text) {
        this.voiding = voiding;
        this.text = text;
    }

    /** Returns whether the flag makes a run invalid, so that its figures must not be quoted. */
    public boolean isVoiding() {
        return voiding;
    }

    /** A description for people. */
    public String text() {
        return text;
    }
}
