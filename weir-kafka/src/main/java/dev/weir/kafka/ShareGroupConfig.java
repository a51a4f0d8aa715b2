package dev.weir.kafka;

import dev.weir.kafka.internal.group.GroupAdmin;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Settings that the brokers keep for a share group, as they were when they were read. Immutable.
 *
 * @param start {@code share.auto.offset.reset}: {@code latest} unless told otherwise
 * @param isStartSaid whether somebody has set it for this group
 * @param lockDuration {@code share.record.lock.duration.ms}: how long a record is lent
 * @param deliveryLimit {@code share.delivery.count.limit}: deliveries after which a record is given up
 * @param locksPerPartition {@code share.partition.max.record.locks}: records of a partition that may be lent at once
 * @param isolationLevel {@code share.isolation.level}
 */
public record ShareGroupConfig(
        String start,
        boolean isStartSaid,
        Duration lockDuration,
        int deliveryLimit,
        int locksPerPartition,
        String isolationLevel) {

    /** Checks. */
    public ShareGroupConfig {
        Objects.requireNonNull(start, "start");
        Objects.requireNonNull(lockDuration, "lockDuration");
        Objects.requireNonNull(isolationLevel, "isolationLevel");
    }

    /**
     * Asks the brokers. Blocks.
     *
     * @throws KafkaPipelineException if the right DESCRIBE_CONFIGS on the group is missing, or nobody answers
     */
    public static ShareGroupConfig read(ShareSettings<?, ?> settings) {
        Objects.requireNonNull(settings, "settings");
        try (GroupAdmin admin = new GroupAdmin(settings)) {
            return admin.config();
        }
    }

    /**
     * Sets values of the group, for all its members. Blocks. Changes hold for records that are lent afterwards.
     *
     * @param values by their names, {@code share.record.lock.duration.ms} for instance; null takes a value back
     * @throws KafkaPipelineException if the right ALTER_CONFIGS on the group is missing, the brokers refuse a value, or
     *     nobody answers
     */
    public static void set(ShareSettings<?, ?> settings, Map<String, @Nullable String> values) {
        Objects.requireNonNull(values, "values");
        Objects.requireNonNull(settings, "settings");
        try (GroupAdmin admin = new GroupAdmin(settings)) {
            admin.set(values);
        }
    }
}
