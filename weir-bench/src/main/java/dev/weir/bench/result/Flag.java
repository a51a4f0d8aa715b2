package dev.weir.bench.result;

/** A reason to doubt the figures of a run. */
public enum Flag {
    /** The load generator fell behind its plan: the figures are the generator's. */
    GENERATOR_BOUND(true, "the generator was the bottleneck"),
    /**
     * The brokers were the bottleneck: the driver can do at least this.
     * Its rate is a bound and not quoted, its costs are.
     */
    BROKER_BOUND(false, "held back by the broker, its rate is not quoted"),
    /** The brokers were the bottleneck of the driver that others are divided by: their ratios would be too high. */
    BASELINE_BROKER_BOUND(true, "the broker held the baseline back"),
    /** Records were lost, doubled or out of order beyond what the scenario promises. */
    GUARANTEE_BROKEN(true, "the asked guarantee was broken"),
    /** The run was changed by orders or its timeline, so it is not comparable with other runs. */
    CHANGED(true, "changed while it ran"),
    /** Partitions got other shares of the load than asked, or a process of the group got nothing. */
    UNEVEN(false, "load spread otherwise than asked"),
    /** No steady state was found before measuring, or it drifted away while measuring. */
    NOT_STEADY(false, "no steady state"),
    /**
     * A compiler of the virtual machine took part of the processor time while it was measured: the costs are too high.
     */
    COMPILING(false, "still being compiled"),
    /**
     * Client and broker together used all cores: ratios show who uses the machine better, not how fast each could be.
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

    /** For people. */
    public String text() {
        return text;
    }
}
