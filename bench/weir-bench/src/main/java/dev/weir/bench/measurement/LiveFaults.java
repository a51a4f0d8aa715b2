package dev.weir.bench.measurement;

import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.figures.LiveSettings;
import dev.weir.bench.live.Fault;
import dev.weir.driver.NetworkFault;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Causes faults in a run's group, network and brokers, one after another. The cost of each fault is measured
 * separately. Confined to the thread of the run.
 */
final class LiveFaults {
    private static final double MOST_RATE = 1_000_000;

    private final LiveGroups groups;
    private final LiveGroup group; // the affected group
    private final RunNumbers numbers; // received records of that group
    private final BenchCluster cluster;

    /**
     * Creates the faults. Faults of members affect the first group.
     *
     * @param numbers tracks the records of the first group
     */
    LiveFaults(LiveGroups groups, RunNumbers numbers, BenchCluster cluster) {
        this.groups = groups;
        this.group = groups.first();
        this.numbers = numbers;
        this.cluster = cluster;
    }

    /** The reason why the fault is impossible now; null if it is possible. */
    @Nullable
    String objection(Fault fault, LiveSettings settings) {
        int processes = group.processes();
        return switch (fault.kind()) {
            case JOIN, REBALANCE ->
                group.hasRoom(Math.max(1, fault.count()))
                        ? null
                        : fault.text() + ": a group has no more processes than " + LiveGroup.MOST_PROCESSES
                                + ", and this one has " + processes;
            case LEAVE, KILL ->
                fault.count() < processes
                        ? deaf(fault)
                        : fault.text() + ": one process has to stay, and the group has " + processes;
            case FREEZE, CUT, SILENCE ->
                fault.count() <= processes ? deaf(fault) : fault.text() + ": the group has " + processes + " processes";
            case DELAY -> null;
            case LOSE_BROKER, FILL_DISK, SLOW_DISK ->
                cluster.losses().canLose(fault.count())
                        ? null
                        : fault.text() + ": no broker of that id was started for this run, so none can fail";
            case BACKLOG ->
                settings.producerRate() == 0
                        ? fault.text() + ": nothing is sent, so nothing can be left over"
                        : burst(fault, settings) <= MOST_RATE
                                ? null
                                : fault.text() + ": the rate would be " + (long) burst(fault, settings)
                                        + " records a second, and can be " + (long) MOST_RATE + " at most";
        };
    }

    /** The reason why an affected process cannot be signalled; null if there is none. */
    private @Nullable String deaf(Fault fault) {
        List<LivePart> some = switch (fault.kind()) {
            case KILL -> group.last(fault.count());
            case FREEZE -> group.first(fault.count());
            default -> List.of();
        };
        for (LivePart part : some) {
            String objection = part.process.objectionToSignals();
            if (objection != null) {
                return fault.text() + ": " + objection;
            }
        }
        return null;
    }

    private static double burst(Fault fault, LiveSettings settings) {
        return settings.producerRate() * (1 + fault.forMillis() / 1e3);
    }

    /** Causes the fault, and returns a description when it is over. */
    String apply(Fault fault, LiveSettings settings) throws InterruptedException {
        double seconds = fault.forMillis() / 1e3;
        return switch (fault.kind()) {
            case JOIN -> group.grow(fault.count(), settings);
            case LEAVE -> group.shrink(fault.count());
            case REBALANCE -> {
                String joined = group.grow(1, settings);
                yield joined + ", then left: " + group.shrink(1);
            }
            case KILL -> kill(group.last(fault.count()));
            case FREEZE -> freeze(group.first(fault.count()), seconds);
            case CUT -> disconnect(group.first(fault.count()), NetworkFault.CUT, seconds);
            case SILENCE -> disconnect(group.first(fault.count()), NetworkFault.SILENCE, seconds);
            case DELAY ->
                disconnect(
                        group.first(group.processes()), NetworkFault.delay((long) (1e6 * fault.byMillis())), seconds);
            case LOSE_BROKER -> loseBroker(fault.count(), seconds);
            case FILL_DISK -> fillDisk(fault.count(), seconds);
            case SLOW_DISK -> slowDisk(fault.count(), fault.byMillis(), seconds);
            case BACKLOG -> {
                groups.sender().send(burst(fault, settings), 1, settings.producerRate());
                hear(1);
                yield (long) (settings.producerRate() * seconds) + " records more";
            }
        };
    }

    /** Kills processes while they are handling records, without waiting for them to leave. */
    private String kill(List<LivePart> some) throws InterruptedException {
        for (LivePart part : some) {
            part.process.killThere();
        }
        for (LivePart part : some) {
            numbers.killed(part);
            group.end(part);
        }
        return LivePart.names(some);
    }

    private String freeze(List<LivePart> some, double seconds) throws InterruptedException {
        groups.members().pause(some.stream().map(part -> part.member).toList(), seconds);
        return LivePart.names(some);
    }

    private String disconnect(List<LivePart> some, NetworkFault fault, double seconds) throws InterruptedException {
        befall(some, fault);
        hear(seconds);
        befall(some, NetworkFault.NONE);
        return LivePart.names(some);
    }

    private static void befall(List<LivePart> some, NetworkFault fault) throws InterruptedException {
        for (LivePart part : some) {
            Objects.requireNonNull(part.network).befall(fault);
        }
    }

    private String loseBroker(int id, double seconds) throws InterruptedException {
        long pid = cluster.losses().lose(id);
        try {
            hear(seconds);
        } finally {
            cluster.losses().bringBack(id);
        }
        return "broker " + id + ", process " + pid;
    }

    /** Keeps a broker's disk full for a while. Restarts the broker if it stopped. */
    private String fillDisk(int id, double seconds) throws InterruptedException {
        long pid = cluster.losses().fillDisk(id);
        boolean hasEnded = false;
        try {
            hear(seconds);
        } finally {
            hasEnded = cluster.losses().emptyDisk(id);
        }
        return "broker " + id + ", process " + pid + (hasEnded ? ", which ended" : ", which wrote nothing meanwhile");
    }

    private String slowDisk(int id, double byMillis, double seconds) throws InterruptedException {
        Duration delay = Duration.ofNanos((long) (1e6 * byMillis));
        cluster.losses().slowDisk(id, delay);
        try {
            hear(seconds);
        } finally {
            cluster.losses().repairDisk(id);
        }
        return "broker " + id + ", process " + cluster.losses().pid(id);
    }

    private void hear(double seconds) throws InterruptedException {
        groups.members().hearUntil(System.nanoTime() + (long) (seconds * TimeUnit.SECONDS.toNanos(1)));
    }
}
