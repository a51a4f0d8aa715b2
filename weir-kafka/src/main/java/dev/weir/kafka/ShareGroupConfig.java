package dev.weir.kafka;

import dev.weir.kafka.internal.share.group.GroupAdmin;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Broker-side settings of a share group, as of the time they were read. Immutable. */
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

    /** Creates settings for tests of code that reads them. */
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

    /** {@code share.auto.offset.reset}; {@code latest} by default. */
    public String start() {
        return values.start;
    }

    /** Returns whether {@code share.auto.offset.reset} is set for this group. */
    public boolean isStartSaid() {
        return values.isStartSaid;
    }

    /** {@code share.record.lock.duration.ms}: how long a record stays acquired. */
    public Duration lockDuration() {
        return values.lockDuration;
    }

    /** {@code share.delivery.count.limit}: the number of deliveries after which brokers give up on a record. */
    public int deliveryLimit() {
        return values.deliveryLimit;
    }

    /** {@code share.partition.max.record.locks}: the number of records of a partition that may be acquired at once. */
    public int locksPerPartition() {
        return values.locksPerPartition;
    }

    /** {@code share.isolation.level}. */
    public String isolationLevel() {
        return values.isolationLevel;
    }

    /**
     * {@code share.renew.acknowledge.enable}: whether brokers renew locks, true by default. If not, a record whose
     * handler takes longer than {@link #lockDuration} is delivered again.
     */
    public boolean renewsLocks() {
        return values.renewsLocks;
    }

    /**
     * Reads the settings from the brokers. Blocks.
     *
     * @throws KafkaPipelineException if DESCRIBE_CONFIGS on the group is not allowed, or no broker answers
     */
    public static ShareGroupConfig read(ShareSettings<?, ?> settings) {
        Objects.requireNonNull(settings, "settings");
        try (GroupAdmin admin = new GroupAdmin(settings)) {
            return admin.config();
        }
    }

    /**
     * Changes settings of the group for all its members. Blocks. Changes apply to records acquired afterwards.
     *
     * @param values settings by name, {@code share.record.lock.duration.ms} for instance; null resets a setting
     * @throws KafkaPipelineException if ALTER_CONFIGS on the group is not allowed, the brokers refuse a value, or no
     *     broker answers
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
