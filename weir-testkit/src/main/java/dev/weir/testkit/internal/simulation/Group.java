package dev.weir.testkit.internal.simulation;

import dev.weir.testkit.internal.simulation.Draw.Of;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The simulated group: this member's partitions, and the work of other members on the remaining partitions. Confined to
 * the simulation's thread.
 */
final class Group {

    private final World world;
    private final boolean eager;

    private int assignments;
    private Predicate<String> topics = topic -> false;
    private @Nullable ConsumerRebalanceListener listener;

    Group(World world, boolean eager) {
        this.world = world;
        this.eager = eager;
    }

    void join(Predicate<String> wanted, ConsumerRebalanceListener told) {
        topics = wanted;
        listener = told;
    }

    /** Assigns partitions to this member, after a rebalance or because its consumer assigns partitions manually. */
    void assign(Collection<TopicPartition> ids) {
        assignments++;
        ids.stream().map(world::log).filter(log -> !log.owned).forEach(log -> log.assign(assignments));
    }

    List<TopicPartition> owned() {
        return world.logs().filter(log -> log.owned).map(log -> log.id).toList();
    }

    /** Rebalances the group. This member then owns randomly drawn partitions. */
    void rebalance(int number) {
        move(world.logs()
                .filter(log -> !world.draw().oneIn(3, Of.PLAN, 5, number, log.number))
                .map(log -> log.id)
                .toList());
    }

    /** Removes the other members, so that this member owns all partitions. */
    void takeAll() {
        move(world.logs().map(log -> log.id).toList());
    }

    private void move(List<TopicPartition> drawn) {
        ConsumerRebalanceListener told = listener;
        if (told == null) {
            return;
        }
        List<TopicPartition> target =
                drawn.stream().filter(id -> topics.test(id.topic())).toList();
        List<TopicPartition> revoked =
                owned().stream().filter(id -> eager || !target.contains(id)).toList();
        if (!revoked.isEmpty()) {
            world.history().world("revoked      " + revoked);
            tell(() -> told.onPartitionsRevoked(revoked));
            release(revoked);
        }
        List<TopicPartition> added =
                target.stream().filter(id -> !world.log(id).owned).toList();
        assign(added);
        world.history()
                .world("assigned     "
                        + added.stream()
                                .map(id -> id + "@" + Math.max(0, world.log(id).committed()))
                                .toList()
                        + ", assignment " + assignments);
        tell(() -> told.onPartitionsAssigned(added));
    }

    /** Expels this member from the group. The member then learns that it lost its partitions. */
    void lose() {
        ConsumerRebalanceListener told = listener;
        List<TopicPartition> lost = owned();
        if (told != null && !lost.isEmpty()) {
            world.history().world("lost         " + lost);
            release(lost);
            tell(() -> told.onPartitionsLost(lost));
        }
    }

    private void tell(Runnable callback) {
        callback.run();
        // Dropped records may have freed capacity.
        world.settle();
    }

    private void release(Collection<TopicPartition> ids) {
        ids.forEach(id -> world.log(id).release());
        world.released();
    }

    /** Reports that the member is gone, whether it left the group or crashed. */
    void leave() {
        listener = null;
        owned().forEach(id -> world.log(id).release());
    }

    /** Makes other members read and commit the partitions that this member does not own. */
    void othersWork(int number) {
        world.logs().filter(log -> !log.owned && log.committed() < log.end()).forEach(log -> {
            long from = Math.max(0, log.committed());
            long to = from + world.draw().below(log.end() - from + 1, Of.OTHERS, number, log.number);
            if (to > from) {
                world.commitElsewhere(log, from, to);
            }
        });
    }
}
