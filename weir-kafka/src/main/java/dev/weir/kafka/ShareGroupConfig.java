package dev.weir.kafka;

import dev.weir.kafka.internal.share.group.GroupAdmin;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A share group's configuration on the brokers, when it was read. Immutable. */
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

    /** Creates a configuration, for tests. */
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

    /** The group's {@code share.auto.offset.reset}; {@code latest} by default. */
    public String start() {
        return values.start;
    }

    /** Returns whether {@code share.auto.offset.reset} is set for this group. */
    public boolean isStartSaid() {
        return values.isStartSaid;
    }

    /** The group's {@code share.record.lock.duration.ms}: the time for which a record stays acquired. */
    public Duration lockDuration() {
        return values.lockDuration;
    }

    /** The group's {@code share.delivery.count.limit}: the maximum number of deliveries of a record. */
    public int deliveryLimit() {
        return values.deliveryLimit;
    }

    /** The group's {@code share.partition.max.record.locks}: the maximum number of acquired records of a partition. */
    public int locksPerPartition() {
        return values.locksPerPartition;
    }

    /** The group's {@code share.isolation.level}. */
    public String isolationLevel() {
        return values.isolationLevel;
    }

    /**
     * The group's {@code share.renew.acknowledge.enable}: whether members may renew acquisition locks, true by default.
     * If not, a record is delivered again if its handler takes longer than {@link #lockDuration}.
     */
    public boolean renewsLocks() {
        return values.renewsLocks;
    }

    /**
     * Reads the configuration from the brokers. Blocks.
     *
     * @throws KafkaPipelineException if DESCRIBE_CONFIGS on the group is not permitted, or no broker responds
     */
    public static ShareGroupConfig read(ShareSettings<?, ?> settings) {
        Objects.requireNonNull(settings, "settings");
        try (GroupAdmin admin = new GroupAdmin(settings)) {
            return admin.config();
        }
    }

    /**
     * Changes the configuration of the group, for records acquired later by all members. Blocks.
     *
     * @param values the new values by name, such as {@code share.record.lock.duration.ms}; null resets a property to
     *     its default
     * @throws KafkaPipelineException if ALTER_CONFIGS on the group is not permitted, the brokers refuse a value, or no
     *     broker responds
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
