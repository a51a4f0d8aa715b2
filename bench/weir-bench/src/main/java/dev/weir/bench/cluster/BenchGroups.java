package dev.weir.bench.cluster;

import dev.weir.bench.BenchException;
import dev.weir.bench.fill.FillPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Creates the groups of a campaign's drivers with their settings, observes them while members join, and deletes them
 * with their broker-side state. Confined to one thread.
 */
public final class BenchGroups {
    private final Brokers brokers;
    private final BenchTopics topics;
    private final BrokerLosses losses;
    private final LeftGroups leftGroups;
    private final List<GroupSettings> settingsOfRun = new ArrayList<>(); // removed after the run
    private final List<ShareGroup> shareGroups = new ArrayList<>(); // not deleted yet

    BenchGroups(
            Brokers brokers,
            BenchTopics topics,
            BrokerLosses losses,
            Consumer<String> note,
            BooleanSupplier isStopped) {
        this.brokers = brokers;
        this.topics = topics;
        this.losses = losses;
        this.leftGroups = new LeftGroups(LeftGroups.LONGEST_SESSION_NANOS, isStopped, note);
    }

    private String named() {
        return brokers.named("group-" + UUID.randomUUID());
    }

    /**
     * Applies these settings to a new consumer group and returns the group's name. The settings are removed after the
     * run.
     *
     * @throws BenchException if the brokers refuse a setting
     */
    public String make(Map<String, String> config) {
        GroupSettings made = new GroupSettings(named(), config);
        if (!config.isEmpty()) {
            made.set(brokers.admin());
            settingsOfRun.add(made);
        }
        return made.group();
    }

    /**
     * Returns the reason why the brokers would refuse these settings for an existing group; null if they accept them.
     */
    public @Nullable String objection(String group, Map<String, String> config) {
        return new GroupSettings(group, config).objection(brokers.admin());
    }

    /**
     * Changes settings of an existing consumer group or share group until the end of the run. Members pick up the
     * change automatically.
     *
     * @throws BenchException if the brokers refuse a setting
     */
    public void set(String group, Map<String, String> config) {
        GroupSettings settings = new GroupSettings(group, config);
        settings.set(brokers.admin());
        settingsOfRun.add(settings);
    }

    /**
     * Creates a new share group with these settings.
     *
     * @throws BenchException if the brokers have no share groups, or refuse a setting
     */
    public String makeShared(Map<String, String> config) {
        ShareGroup made = new ShareGroup(brokers.admin(), named(), config);
        shareGroups.add(made);
        made.configure();
        return made.name();
    }

    /** Deletes all share groups that this object has created, if brokers are reachable. */
    public void deleteShared() {
        List<ShareGroup> made = List.copyOf(shareGroups);
        shareGroups.clear();
        if (losses.hasAll()) {
            List<Runnable> deletions = new ArrayList<>();
            for (ShareGroup group : made) {
                deletions.add(group::removeSettings);
                deletions.add(() -> leftGroups.delete(group.name(), group::delete));
            }
            runAll(deletions);
        }
    }

    private @Nullable ShareGroup shared(String group) {
        return shareGroups.stream()
                .filter(made -> made.name().equals(group))
                .findFirst()
                .orElse(null);
    }

    /** Returns whether {@code members} members have joined and all {@code partitions} partitions are assigned. */
    public boolean isSettled(String group, int members, int partitions) throws InterruptedException {
        return shared(group) == null
                ? GroupLook.isSettled(brokers.admin(), group, members, partitions)
                : GroupLook.isShareSettled(brokers.admin(), group, members, partitions);
    }

    /** The current assignment of partitions; null while unknown. */
    public @Nullable Assignment assignment(String group) throws InterruptedException {
        return GroupLook.assignment(brokers.admin(), group, shared(group) != null);
    }

    /**
     * Returns whether a consumer group has committed, or a share group has accepted, all records of every partition.
     */
    public boolean committedAll(String group, String topic, FillPlan plan) {
        ShareGroup shared = shared(group);
        if (shared != null) {
            return shared.isPast(topics.endOffsets(topic).keySet(), plan.leastCommitted());
        }
        Map<TopicPartition, OffsetAndMetadata> committed = Asked.of(
                "what group " + group + " committed",
                brokers.admin().listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
        return topics.endOffsets(topic).keySet().stream().allMatch(partition -> {
            OffsetAndMetadata offset = committed.get(partition);
            return offset != null && offset.offset() >= plan.leastCommitted() && offset.offset() <= plan.endOffset();
        });
    }

    /**
     * Returns the number of records of a topic that a consumer group has not committed, or a share group has not
     * accepted.
     */
    public long lag(String group, String topic) {
        Map<TopicPartition, Long> ends = topics.endOffsets(topic);
        ShareGroup shared = shared(group);
        return shared != null ? shared.lag(ends) : GroupLag.of(brokers.admin(), group, ends);
    }

    void deleteOfRun() {
        List<Runnable> deletions = new ArrayList<>();
        deletions.add(this::deleteShared);
        if (losses.hasAll()) {
            List.copyOf(settingsOfRun).forEach(made -> deletions.add(() -> made.remove(brokers.admin())));
        }
        settingsOfRun.clear();
        runAll(deletions);
    }

    /** Runs all actions, even if some fail. Throws the first failure at the end. */
    static void runAll(List<Runnable> actions) {
        RuntimeException first = null;
        for (Runnable action : actions) {
            try {
                action.run();
            } catch (RuntimeException failure) {
                if (first == null) {
                    first = failure;
                } else {
                    first.addSuppressed(failure);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    void deleteLeft() {
        if (losses.hasAll()) {
            leftGroups.deleteAll();
        }
    }
}
