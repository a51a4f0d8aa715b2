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
 * The groups that a campaign's drivers read by: made with their settings, looked at while members join, and deleted
 * with what brokers keep of them. Confined to one thread.
 */
public final class BenchGroups {
    private final Brokers brokers;
    private final BenchTopics topics;
    private final BrokerLosses losses;
    private final LeftGroups leftGroups;
    private final List<GroupSettings> settingsOfRun = new ArrayList<>(); // of consumer groups, or changed
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
     * A consumer group that the brokers do not know yet, with these settings, which are removed after the run.
     *
     * @throws BenchException if the brokers refuse one
     */
    public String make(Map<String, String> config) {
        GroupSettings made = new GroupSettings(named(), config);
        if (!config.isEmpty()) {
            made.set(brokers.admin());
            settingsOfRun.add(made);
        }
        return made.group();
    }

    /** The reason why the brokers would not set this for a group that there is; null if they would. */
    public @Nullable String objection(String group, Map<String, String> config) {
        return new GroupSettings(group, config).objection(brokers.admin());
    }

    /**
     * Sets this for a group that there is, of either kind, until the run is over. Members hear of it by themselves.
     *
     * @throws BenchException if the brokers refuse
     */
    public void set(String group, Map<String, String> config) {
        GroupSettings settings = new GroupSettings(group, config);
        settings.set(brokers.admin());
        settingsOfRun.add(settings);
    }

    /**
     * The same of a share group.
     *
     * @throws BenchException if the brokers have no share groups, or refuse a setting
     */
    public String makeShared(Map<String, String> config) {
        ShareGroup made = new ShareGroup(brokers.admin(), named(), config);
        shareGroups.add(made);
        made.configure();
        return made.name();
    }

    /** Deletes the share groups that there are, if there are brokers to ask. */
    public void deleteShared() {
        List<ShareGroup> made = List.copyOf(shareGroups);
        shareGroups.clear();
        if (losses.hasAll()) {
            for (ShareGroup group : made) {
                group.removeSettings();
                leftGroups.delete(group.name(), group::delete);
            }
        }
    }

    private @Nullable ShareGroup shared(String group) {
        return shareGroups.stream()
                .filter(made -> made.name().equals(group))
                .findFirst()
                .orElse(null);
    }

    /** Returns whether so many members of a group have joined and share out that many partitions. */
    public boolean isSettled(String group, int members, int partitions) throws InterruptedException {
        return shared(group) == null
                ? GroupLook.isSettled(brokers.admin(), group, members, partitions)
                : GroupLook.isShareSettled(brokers.admin(), group, members, partitions);
    }

    /** The present assignment of partitions; null while the brokers do not say. */
    public @Nullable Assignment assignment(String group) throws InterruptedException {
        return GroupLook.assignment(brokers.admin(), group, shared(group) != null);
    }

    /**
     * Returns whether the group has committed the end of every partition that it read whole, or has accepted all before
     * it.
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

    /** The number of records of a topic the group has not committed, or accepted, yet. */
    public long lag(String group, String topic) {
        Map<TopicPartition, Long> ends = topics.endOffsets(topic);
        ShareGroup shared = shared(group);
        return shared != null ? shared.lag(ends) : GroupLag.of(brokers.admin(), group, ends);
    }

    /** Deletes what the last run had to itself, if there are brokers to ask. */
    void deleteOfRun() {
        deleteShared();
        if (losses.hasAll()) {
            settingsOfRun.forEach(made -> made.remove(brokers.admin()));
        }
        settingsOfRun.clear();
    }

    /** Deletes what could not be deleted before, as far as it can be now. */
    void deleteLeft() {
        if (losses.hasAll()) {
            leftGroups.deleteAll();
        }
    }
}
