package dev.weir.kafka.internal.in.position;

import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.lookup.ConsumerLog;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.spi.Lookup;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Looks for new partitions of a source without a group, which receives no assignments. Confined to the owner thread.
 */
public final class NewPartitions {

    private static final ConsumerLog LOG = ConsumerLog.of(NewPartitions.class);

    private final Subscription subscription;
    private final boolean looks;
    private final PartitionAssignment assignment;
    private final Lookup lookup;
    private final OwnerClock clock;
    private final long intervalNanos;
    private final Executor owner;
    private final Consumer<Collection<TopicPartition>> onNew;

    private long dueNanos;

    /** Topics whose last check failed, with the reason. */
    private final Map<String, String> troubles = new HashMap<>();

    /**
     * Creates an object that checks for new partitions.
     *
     * @param interval interval between two checks
     * @param owner the owner thread, which processes responses
     * @param onNew called on the owner thread with partitions that are not assigned yet
     */
    public NewPartitions(
            ConsumerPlan plan,
            PartitionAssignment assignment,
            Lookup lookup,
            OwnerClock clock,
            Duration interval,
            Executor owner,
            Consumer<Collection<TopicPartition>> onNew) {
        this.subscription = plan.subscription();
        this.looks = !plan.ungrouped().isEmpty()
                && !subscription.isBounded()
                && !(subscription.selection() instanceof Subscription.Partitions);
        this.assignment = assignment;
        this.lookup = lookup;
        this.clock = clock;
        this.intervalNanos = interval.toNanos();
        this.owner = owner;
        this.onNew = onNew;
        this.dueNanos = clock.nanoTime() + intervalNanos;
    }

    public void lookIfDue() {
        if (looks && clock.nanoTime() - dueNanos >= 0) {
            dueNanos = clock.nanoTime() + intervalNanos;
            lookup.partitions(subscription.selection())
                    .whenComplete((found, failure) -> owner.execute(() -> found(found, failure)));
        }
    }

    private void found(Lookup.@Nullable Described found, @Nullable Throwable failure) {
        if (found == null) {
            LOG.warn("cannot look for new partitions of {}: {}", subscription.selection(), String.valueOf(failure));
            return;
        }
        // Log a repeated failure once: a deleted topic fails in every check.
        found.failures().forEach((topic, why) -> {
            if (!why.toString().equals(troubles.put(topic, why.toString()))) {
                LOG.warn("cannot look for new partitions of topic {}: {}", topic, why.toString());
            }
        });
        troubles.keySet().retainAll(found.failures().keySet());
        List<TopicPartition> added =
                found.ids().stream().filter(id -> assignment.get(id) == null).toList();
        if (!added.isEmpty()) {
            onNew.accept(added);
        }
    }
}
