package dev.weir.kafka.internal.share.group;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ShareGroupConfig;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.ShareSettings.Start;
import dev.weir.stream.spi.Thrown;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of the topics and the group before a member joins. Immutable.
 *
 * @param partitions the partitions of the topics
 * @param config the group's configuration
 * @param ends the end offset of each partition at the start of the run; empty if the read is not bounded
 */
public record GroupStart(List<TopicPartition> partitions, ShareGroupConfig config, Map<TopicPartition, Long> ends) {

    private static final Logger LOG = LoggerFactory.getLogger(GroupStart.class);
    private static final long HEARD_WITHIN_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /**
     * Reads the state from the brokers, and sets the group's start position if the settings specify one. Throws if the
     * group has not started to read a topic and no start position is configured.
     */
    public static GroupStart of(GroupAdmin admin, ShareSettings<?, ?> settings, List<String> topics) {
        admin.requireFeature();
        List<TopicPartition> partitions = admin.partitions(topics);
        ShareGroupConfig config = admin.config();
        Set<TopicPartition> begun = admin.offsets(partitions).keySet();
        Set<String> fresh = new TreeSet<>(topics);
        fresh.removeAll(begun.stream().map(TopicPartition::topic).collect(Collectors.toSet()));
        config = started(admin, settings, config, fresh);
        return new GroupStart(
                partitions,
                config,
                settings.isUntilEnd() ? ends(admin, settings.groupId(), partitions, config, begun) : Map.of());
    }

    private static ShareGroupConfig started(
            GroupAdmin admin, ShareSettings<?, ?> settings, ShareGroupConfig config, Set<String> fresh) {
        Start start = settings.start();
        if (start == null) {
            if (!fresh.isEmpty() && !config.isStartSaid()) {
                throw new KafkaPipelineException("share group " + settings.groupId() + " has not begun with " + fresh
                        + ", and no start is set: it would begin at the end and never read the existing records;"
                        + " set startAt(EARLIEST) or startAt(LATEST), or set " + GroupAdmin.START + " of the group");
            }
            return config;
        }
        String wanted = start.name().toLowerCase(Locale.ROOT);
        if (config.isStartSaid() && config.start().equals(wanted)) {
            return config;
        }
        Map<String, @Nullable String> change = new HashMap<>();
        change.put(GroupAdmin.START, wanted);
        try {
            admin.set(change);
        } catch (KafkaPipelineException refused) {
            if (!fresh.isEmpty()) {
                throw refused;
            }
            LOG.warn("{}; the group has begun, so this has no effect now", Thrown.reason(refused));
            return config;
        }
        return awaitStart(admin, wanted);
    }

    /**
     * Waits up to 10 s until the brokers report the new start position. A broker that does not know it yet would start
     * the group at the end.
     */
    private static ShareGroupConfig awaitStart(GroupAdmin admin, String wanted) {
        long end = System.nanoTime() + HEARD_WITHIN_NANOS;
        ShareGroupConfig told = admin.config();
        while (!(told.isStartSaid() && told.start().equals(wanted)) && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(LOOK_NANOS);
            told = admin.config();
        }
        return told;
    }

    /**
     * Returns the end offsets of the partitions with records for the group. Leaves out empty partitions, and partitions
     * that the group begins to read at their end. If the group reads only committed records, the end is the last stable
     * offset.
     */
    private static Map<TopicPartition, Long> ends(
            GroupAdmin admin,
            String group,
            List<TopicPartition> partitions,
            ShareGroupConfig config,
            Set<TopicPartition> begun) {
        Map<TopicPartition, Long> beginnings = admin.beginnings(partitions);
        Map<TopicPartition, Long> ends = new HashMap<>(admin.ends(partitions));
        if (readsCommitted(config)) {
            Map<TopicPartition, Long> all = Map.copyOf(ends);
            ends.putAll(admin.stableEnds(partitions));
            ends.forEach((partition, end) -> {
                long left = all.getOrDefault(partition, end) - end;
                if (left > 0) {
                    LOG.warn(
                            "share group {} reads committed records: {}@{} is its end for this run, as {} offsets from"
                                    + " there on wait for a transaction that is open",
                            group,
                            partition,
                            end,
                            left);
                }
            });
        }
        boolean skips = config.start().equals("latest");
        ends.entrySet()
                .removeIf(end -> end.getValue() <= beginnings.getOrDefault(end.getKey(), 0L)
                        || (skips && !begun.contains(end.getKey())));
        return ends;
    }

    /** Returns whether the group receives no records of open or aborted transactions. */
    public static boolean readsCommitted(ShareGroupConfig config) {
        return config.isolationLevel().equals("read_committed");
    }
}
