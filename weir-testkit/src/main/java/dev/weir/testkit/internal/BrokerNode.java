package dev.weir.testkit.internal;

/** One broker that can be started and stopped again and again. Its owner calls it from one thread at a time. */
public sealed interface BrokerNode permits InProcessNode, ForkedNode {

    /** Returns when the broker serves clients. */
    void start();

    /** Stops the broker in order; by force if it does not obey. Does nothing when it does not run. */
    void stop();

    boolean isRunning();
}
