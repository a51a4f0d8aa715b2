package dev.weir.bench.measurement;

import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.live.Fault;
import dev.weir.testkit.FaultProxy;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Does the faults of a run to its group, its network and its brokers, one after the other, so that what each costs can be
 * told apart. Confined to the thread of the run.
 */
final class LiveFaults {
    private static final double MOST_RATE = 1_000_000;

    private final LiveGroup group;
    private final BenchCluster cluster;

    LiveFaults(LiveGroup group, BenchCluster cluster) {
        this.group = group;
        this.cluster = cluster;
    }

    /** Why it cannot be done to the run as it is; null if it can. */
    @Nullable
    String objection(Fault fault, LiveSettings settings) {
        int processes = group.processes();
        if (fault.kind() == Fault.Kind.KILL && !group.isHere()) {
            return fault.text() + ": what a killed member had is known on this machine only; freeze or leave instead";
        }
        return switch (fault.kind()) {
            case JOIN, REBALANCE ->
                group.hasRoom(Math.max(1, fault.count()))
                        ? null
                        : fault.text() + ": a group has no more processes than " + LiveGroup.MOST_PROCESSES
                                + ", and this one has " + processes;
            case LEAVE, KILL ->
                fault.count() < processes
                        ? null
                        : fault.text() + ": one process has to stay, and the group has " + processes;
            case FREEZE, CUT, SILENCE ->
                fault.count() <= processes ? null : fault.text() + ": the group has " + processes + " processes";
            case DELAY -> null;
            case LOSE_BROKER ->
                cluster.canLose(fault.count())
                        ? null
                        : fault.text() + ": no broker of that id was started for this run, so none can be ended";
            case BACKLOG ->
                settings.producerRate() == 0
                        ? fault.text() + ": nothing is sent, so nothing can be left over"
                        : burst(fault, settings) <= MOST_RATE
                                ? null
                                : fault.text() + ": the rate would be " + (long) burst(fault, settings)
                                        + " records a second, and can be " + (long) MOST_RATE + " at most";
        };
    }

    private static double burst(Fault fault, LiveSettings settings) {
        return settings.producerRate() * (1 + fault.forMillis() / 1e3);
    }

    /** Does it; returns what was done, for people, when it is over. */
    String apply(Fault fault, LiveSettings settings) throws InterruptedException {
        double seconds = fault.forMillis() / 1e3;
        return switch (fault.kind()) {
            case JOIN -> group.grow(fault.count(), settings);
            case LEAVE -> group.shrink(fault.count());
            case REBALANCE -> {
                String joined = group.grow(1, settings);
                yield joined + ", then left: " + group.shrink(1);
            }
            case KILL -> group.kill(fault.count());
            case FREEZE -> group.freeze(fault.count(), seconds);
            case CUT -> group.disconnect(fault.count(), FaultProxy::cut, seconds);
            case SILENCE -> group.disconnect(fault.count(), FaultProxy::halfOpen, seconds);
            case DELAY -> {
                Duration each = Duration.ofNanos((long) (1e6 * fault.byMillis()));
                yield group.disconnect(group.processes(), network -> network.delay(each), seconds);
            }
            case LOSE_BROKER -> loseBroker(fault.count(), seconds);
            case BACKLOG -> {
                group.send(burst(fault, settings), 1, settings.producerRate());
                hear(1);
                yield (long) (settings.producerRate() * seconds) + " records more";
            }
        };
    }

    private String loseBroker(int id, double seconds) throws InterruptedException {
        long pid = cluster.lose(id);
        try {
            hear(seconds);
        } finally {
            cluster.bringBack(id);
        }
        return "broker " + id + ", process " + pid;
    }

    private void hear(double seconds) throws InterruptedException {
        group.members().hearUntil(System.nanoTime() + (long) (seconds * TimeUnit.SECONDS.toNanos(1)));
    }
}
