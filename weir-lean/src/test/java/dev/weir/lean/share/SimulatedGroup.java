package dev.weir.lean.share;

import dev.weir.simulation.Brokers;
import dev.weir.simulation.ShareGroup;
import dev.weir.simulation.SharePartition;
import dev.weir.simulation.Topics.Partition;
import dev.weir.simulation.Topics.Topic;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Simulated brokers with a share group, and its members' processes. Confined to the test's thread. */
final class SimulatedGroup {

    enum Trouble {
        SESSIONS,
        CONNECTIONS,
        RESTARTS,
        FREEZES,
        STALE_METADATA,
        SILENCE,
        ELECTIONS,
        /** One broker never again receives anything from the controller. */
        STALE_FOR_GOOD,
        RECREATION
    }

    /** Faults that end by themselves. */
    private static final List<Trouble> PASSING =
            List.copyOf(EnumSet.complementOf(EnumSet.of(Trouble.STALE_FOR_GOOD, Trouble.RECREATION)));

    static final int BROKERS = 3;
    static final int LOCK_MILLIS = 2_000;
    static final int WINDOW = 200;
    private static final String TOPIC = "topic";
    private static final int BATCH = 16;
    private static final int RECREATED_RECORDS = 300;
    private static final long MILLI = 1_000_000;
    private static final long LONGEST_STEP_NANOS = 100 * MILLI;

    final Random random;
    final Brokers brokers;
    final ShareGroup share;
    private Topic topic;

    /** Id of the broker that the controller never reaches again, or 0. */
    private int stale;

    private final List<SimulatedHost> hosts = new ArrayList<>();

    /** Records that a RELEASE for an earlier lock released during their processing. */
    int wronglyReleased;

    /** Records that a member has accepted but not finished. */
    int wronglyAccepted;

    SimulatedGroup(Random random, int partitions, int records) {
        this.random = random;
        this.brokers = new Brokers(random, BROKERS);
        this.share = brokers.shareGroup();
        this.topic = create(partitions, records);
        share.lockMillis(LOCK_MILLIS);
        share.window(WINDOW);
        share.observe((member, partition, offset, type) -> {
            SimulatedWork work = host(member).work;
            wronglyReleased += type == AcknowledgementRange.RELEASE && work.isOpen(partition, offset) ? 1 : 0;
            wronglyAccepted += type == AcknowledgementRange.ACCEPT && !work.isDone(partition, offset) ? 1 : 0;
        });
    }

    private Topic create(int partitions, int records) {
        Topic created = brokers.topics().create(TOPIC, partitions);
        for (Partition partition : created.partitions()) {
            for (int at = 0; at < records; at += BATCH) {
                partition
                        .log()
                        .append(IntStream.range(at, Math.min(records, at + BATCH))
                                .mapToObj(offset -> ("" + offset).getBytes(StandardCharsets.US_ASCII))
                                .toList());
            }
        }
        return created;
    }

    /** Recreates the topic with this many records in each partition. */
    void recreateTopic(int records) {
        topic = create(topic.partitions().size(), records);
    }

    long now() {
        return brokers.schedule().now();
    }

    SharePartition partition(int number) {
        return share.of(log(number));
    }

    Partition log(int number) {
        return topic.partitions().get(number);
    }

    List<SharePartition> partitions() {
        return topic.partitions().stream().map(share::of).toList();
    }

    boolean isDone() {
        return topic.partitions().stream().allMatch(each -> share.of(each).isDone());
    }

    SimulatedHost host(String member, SimulatedWork work) {
        SimulatedHost host = new SimulatedHost(member, this, work);
        hosts.add(host);
        return host;
    }

    SimulatedHost host(String member) {
        return hosts.stream()
                .filter(each -> each.member.equals(member))
                .findFirst()
                .orElseThrow();
    }

    void at(long when, Runnable action) {
        brokers.schedule().at(when, action);
    }

    /** Runs a turn of each member that is not frozen, and advances the time. */
    void step() {
        long wait = LONGEST_STEP_NANOS;
        for (SimulatedHost host : List.copyOf(hosts)) {
            if (!host.process.isFrozen()) {
                wait = Math.min(wait, host.turn());
            }
        }
        brokers.schedule().advance(wait);
    }

    /** Ends a member's process without leaving the group. */
    void kill(String member) {
        SimulatedHost host = host(member);
        hosts.remove(host);
        host.process.kill();
    }

    void faults(boolean on) {
        brokers.network().slow(on);
        share.forgetful(on);
        if (on) {
            share.deliveryLimit(Short.MAX_VALUE);
        }
    }

    /** Injects a fault that all members survive. */
    void fault() {
        fault(PASSING.get(random.nextInt(PASSING.size())));
    }

    void fault(Trouble trouble) {
        int node = 1 + random.nextInt(BROKERS);
        SimulatedHost host = hosts.get(random.nextInt(hosts.size()));
        switch (trouble) {
            case SESSIONS -> share.forgetSession();
            case CONNECTIONS -> host.process.cutOne();
            case RESTARTS -> brokers.network().restart(node, random.nextInt(500) * MILLI);
            case FREEZES -> host.process.freeze((500 + random.nextInt(2 * LOCK_MILLIS)) * MILLI);
            case STALE_METADATA -> brokers.topics().cutOff(node, (long) Math.pow(10, random.nextInt(4)) * 100 * MILLI);
            case SILENCE -> host.process.silenceOne();
            case ELECTIONS -> log(random.nextInt(topic.partitions().size())).moveTo(node);
            case STALE_FOR_GOOD -> {
                if (stale == 0) {
                    stale = brokers.lastAsked();
                    brokers.topics().cutOff(stale, Long.MAX_VALUE / 2);
                }
                move(random.nextInt(topic.partitions().size()));
            }
            case RECREATION -> recreateTopic(RECREATED_RECORDS);
        }
    }

    /** Moves a leader to the next broker, and hides that from all brokers for the given time. */
    void moveUnseen(int partition, long nanos) {
        for (int node = 1; node <= BROKERS; node++) {
            brokers.topics().cutOff(node, nanos);
        }
        move(partition);
    }

    void move(int partition) {
        Partition moving = log(partition);
        moving.moveTo(moving.leader() % BROKERS + 1);
    }
}
