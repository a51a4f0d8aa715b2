package dev.weir.kafka;

import dev.weir.kafka.internal.share.group.GroupAdmin;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Settings that the brokers keep for a share group, as they were when they were read. Immutable. */
public final class ShareGroupConfig {

    private final Values values;

    private ShareGroupConfig(
            String start,
            boolean isStartSaid,
            Duration lockDuration,
            int deliveryLimit,
            int locksPerPartition,
            String isolationLevel,
            boolean renewsLocks) {
        this.values = new Values(
                start, isStartSaid, lockDuration, deliveryLimit, locksPerPartition, isolationLevel, renewsLocks);
    }

    /** For tests of code that reads one. */
    public static ShareGroupConfig of(
            String start,
            boolean isStartSaid,
            Duration lockDuration,
            int deliveryLimit,
            int locksPerPartition,
            String isolationLevel,
            boolean renewsLocks) {
        return new ShareGroupConfig(
                start, isStartSaid, lockDuration, deliveryLimit, locksPerPartition, isolationLevel, renewsLocks);
    }

    /** {@code share.auto.offset.reset}: {@code latest} unless told otherwise. */
    public String start() {
        return values.start;
    }

    /** Returns whether somebody has set it for this group. */
    public boolean isStartSaid() {
        return values.isStartSaid;
    }

    /** {@code share.record.lock.duration.ms}: how long a record is acquired. */
    public Duration lockDuration() {
        return values.lockDuration;
    }

    /** {@code share.delivery.count.limit}: deliveries after which a record is given up. */
    public int deliveryLimit() {
        return values.deliveryLimit;
    }

    /** {@code share.partition.max.record.locks}: records of a partition that may be acquired at once. */
    public int locksPerPartition() {
        return values.locksPerPartition;
    }

    /** {@code share.isolation.level}. */
    public String isolationLevel() {
        return values.isolationLevel;
    }

    /**
     * {@code share.renew.acknowledge.enable}: whether brokers renew locks, true unless told otherwise. If not, a record
     * whose handler takes longer than {@link #lockDuration} comes again.
     */
    public boolean renewsLocks() {
        return values.renewsLocks;
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
     * Sets values of the group, for all its members. Blocks. Changes hold for records that are acquired afterwards.
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

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ShareGroupConfig that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "ShareGroupConfig");
    }

    private record Values(
            String start,
            boolean isStartSaid,
            Duration lockDuration,
            int deliveryLimit,
            int locksPerPartition,
            String isolationLevel,
            boolean renewsLocks) {

        Values {
            Objects.requireNonNull(start, "start");
            Objects.requireNonNull(lockDuration, "lockDuration");
            Objects.requireNonNull(isolationLevel, "isolationLevel");
        }
    }
}
