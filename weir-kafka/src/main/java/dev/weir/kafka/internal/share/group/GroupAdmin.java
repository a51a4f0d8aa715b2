package dev.weir.kafka.internal.share.group;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ShareGroupConfig;
import dev.weir.kafka.ShareSettings;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.FinalizedVersionRange;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.SharePartitionOffsetInfo;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * Queries brokers about a share group, and changes its configuration. Each method blocks, at most for the connect
 * timeout. Any thread may call the methods. Must be closed.
 *
 * <p>The names of the group's properties are from {@code GroupConfig} of Kafka 4.4.
 */
public final class GroupAdmin implements GroupQueries {

    static final String START = "share.auto.offset.reset";
    private static final String LOCK_MILLIS = "share.record.lock.duration.ms";
    private static final String DELIVERY_LIMIT = "share.delivery.count.limit";
    private static final String LOCKS = "share.partition.max.record.locks";
    private static final String ISOLATION = "share.isolation.level";
    private static final String RENEWS = "share.renew.acknowledge.enable";
    private static final String FEATURE = "share.version";

    private final String group;
    private final Duration patience;
    private final Admin admin;

    /** Creates the admin client without sending a request. */
    public GroupAdmin(ShareSettings<?, ?> settings) {
        this.group = settings.groupId();
        this.patience = settings.connectTimeout();
        Map<String, Object> config = new HashMap<>(settings.properties());
        config.keySet().retainAll(AdminClientConfig.configNames());
        int millis = (int) patience.toMillis();
        config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis);
        config.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, millis);
        this.admin = Admin.create(config);
    }

    private ConfigResource resource() {
        return new ConfigResource(ConfigResource.Type.GROUP, group);
    }

    @Override
    public ShareGroupConfig config() {
        Config config = answer(
                        admin.describeConfigs(List.of(resource())).all(),
                        "the settings of share group " + group + " cannot be read: grant DESCRIBE_CONFIGS on the group")
                .values()
                .iterator()
                .next();
        ConfigEntry start = config.get(START);
        return ShareGroupConfig.of(
                text(config, START, "latest"),
                start != null && start.source() == ConfigEntry.ConfigSource.DYNAMIC_GROUP_CONFIG,
                Duration.ofMillis(Long.parseLong(text(config, LOCK_MILLIS, "30000"))),
                Integer.parseInt(text(config, DELIVERY_LIMIT, "5")),
                Integer.parseInt(text(config, LOCKS, "2000")),
                text(config, ISOLATION, "read_uncommitted"),
                Boolean.parseBoolean(text(config, RENEWS, "true")));
    }

    /** Returns the value, or the default if the broker does not know the property. */
    private static String text(Config config, String name, String otherwise) {
        ConfigEntry entry = config.get(name);
        return entry == null || entry.value() == null ? otherwise : entry.value();
    }

    /** Sets properties of the group; null resets a property to its default. */
    public void set(Map<String, @Nullable String> values) {
        List<AlterConfigOp> changes = new ArrayList<>();
        values.forEach((name, value) -> changes.add(new AlterConfigOp(
                new ConfigEntry(name, value), value == null ? AlterConfigOp.OpType.DELETE : AlterConfigOp.OpType.SET)));
        var unused = answer(
                admin.incrementalAlterConfigs(Map.of(resource(), changes)).all(),
                values + " cannot be set for share group " + group + ": grant ALTER_CONFIGS on the group");
    }

    /** Throws if the brokers do not support share groups. */
    public void requireFeature() {
        Map<String, FinalizedVersionRange> features = answer(
                        admin.describeFeatures().featureMetadata(), "the features of the brokers cannot be read")
                .finalizedFeatures();
        FinalizedVersionRange version = features.get(FEATURE);
        if (version == null || version.maxVersionLevel() < 1) {
            throw new KafkaPipelineException("the brokers have no share groups: feature " + FEATURE
                    + " is not enabled; with Kafka 4.2 or later run kafka-features.sh upgrade --feature " + FEATURE
                    + "=1, or read with a consumer group");
        }
    }

    /** Returns the partitions of the topics. Throws if a topic does not exist. */
    public List<TopicPartition> partitions(List<String> topics) {
        List<TopicPartition> partitions = new ArrayList<>();
        admin.describeTopics(topics).topicNameValues().forEach((topic, future) -> {
            TopicDescription found = answer(future, "topic " + topic + " cannot be read: grant DESCRIBE on it");
            found.partitions().forEach(each -> partitions.add(new TopicPartition(topic, each.partition())));
        });
        return partitions;
    }

    @Override
    public Map<TopicPartition, SharePartitionOffsetInfo> offsets(Collection<TopicPartition> partitions) {
        Map<TopicPartition, SharePartitionOffsetInfo> begun = new HashMap<>();
        try {
            admin.listShareGroupOffsets(Map.of(group, new ListShareGroupOffsetsSpec().topicPartitions(partitions)))
                    .partitionsToOffsetInfo(group)
                    .get(patience.toMillis(), TimeUnit.MILLISECONDS)
                    .forEach((partition, info) -> {
                        if (info != null && info.startOffset() >= 0) {
                            begun.put(partition, info);
                        }
                    });
        } catch (ExecutionException failure) {
            if (!(failure.getCause() instanceof GroupIdNotFoundException)) {
                throw refused(
                        failure.getCause(),
                        "the offsets of share group " + group + " cannot be read: grant DESCRIBE on the group");
            }
        } catch (TimeoutException failure) {
            throw silent(failure);
        } catch (InterruptedException failure) {
            throw interrupted(failure);
        }
        return begun;
    }

    @Override
    public Map<TopicPartition, Long> ends(Collection<TopicPartition> partitions) {
        return logOffsets(partitions, OffsetSpec.latest(), IsolationLevel.READ_UNCOMMITTED);
    }

    @Override
    public Map<TopicPartition, Long> stableEnds(Collection<TopicPartition> partitions) {
        return logOffsets(partitions, OffsetSpec.latest(), IsolationLevel.READ_COMMITTED);
    }

    public Map<TopicPartition, Long> beginnings(Collection<TopicPartition> partitions) {
        return logOffsets(partitions, OffsetSpec.earliest(), IsolationLevel.READ_UNCOMMITTED);
    }

    private Map<TopicPartition, Long> logOffsets(
            Collection<TopicPartition> partitions, OffsetSpec spec, IsolationLevel isolation) {
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        partitions.forEach(partition -> asked.put(partition, spec));
        ListOffsetsResult found = admin.listOffsets(asked, new ListOffsetsOptions(isolation));
        Map<TopicPartition, Long> offsets = new HashMap<>();
        List<TopicPartition> silent = new ArrayList<>();
        for (TopicPartition partition : partitions) {
            KafkaFuture<ListOffsetsResultInfo> answer = found.partitionResult(partition);
            try {
                offsets.put(
                        partition,
                        answer.get(patience.toMillis(), TimeUnit.MILLISECONDS).offset());
            } catch (ExecutionException failure) {
                if (!(failure.getCause() instanceof org.apache.kafka.common.errors.TimeoutException)) {
                    throw refused(failure.getCause(), "the offsets of " + partition + " cannot be read");
                }
                silent.add(partition);
            } catch (TimeoutException failure) {
                silent.add(partition);
            } catch (InterruptedException failure) {
                throw interrupted(failure);
            }
        }
        if (!silent.isEmpty()) {
            silent.sort(Comparator.comparing(TopicPartition::toString));
            throw new KafkaPipelineException("no broker reports the start and end of these partitions: " + silent
                    + ", within " + patience.toMillis() + " ms. Without a leader they cannot be read to their end:"
                    + " start a broker that has them, or read without an end");
        }
        return offsets;
    }

    private <T> T answer(KafkaFuture<T> future, String otherwise) {
        try {
            return future.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException failure) {
            throw refused(failure.getCause(), otherwise);
        } catch (TimeoutException failure) {
            throw silent(failure);
        } catch (InterruptedException failure) {
            throw interrupted(failure);
        }
    }

    private static KafkaPipelineException refused(@Nullable Throwable cause, String otherwise) {
        String reason = cause == null ? "" : Thrown.reason(cause);
        Throwable known = cause == null ? new IllegalStateException(otherwise) : cause;
        if (cause instanceof UnknownTopicOrPartitionException) {
            return new KafkaPipelineException("there is no such topic; create it first (" + reason + ")", known);
        }
        if (cause instanceof org.apache.kafka.common.errors.TimeoutException) {
            return new KafkaPipelineException(
                    "the brokers do not answer; check bootstrap.servers (" + reason + ")", known);
        }
        String sentence =
                cause instanceof AuthorizationException ? otherwise : otherwise.replaceFirst(": grant .*", "");
        return new KafkaPipelineException(sentence + " (" + reason + ")", known);
    }

    private KafkaPipelineException silent(Throwable cause) {
        return new KafkaPipelineException(
                "the brokers do not answer within " + patience.toMillis() + " ms; check bootstrap.servers", cause);
    }

    private static KafkaPipelineException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new KafkaPipelineException("interrupted while asking about a share group", cause);
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
    }
}
