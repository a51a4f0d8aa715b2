package dev.weir.kafka;

import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.internal.in.owner.ConsumerSource;
import dev.weir.kafka.internal.in.owner.PartitionedSource;
import dev.weir.kafka.internal.in.owner.ViewSource;
import dev.weir.kafka.internal.share.member.AcquiredRecord;
import dev.weir.kafka.internal.share.member.ShareSource;
import dev.weir.kafka.view.RecordViews;
import dev.weir.lean.RecordView;
import dev.weir.stream.Source;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Sources of consumed records, by their origin and then by the guarantee of their delivery. Immutable and free to
 * share.
 *
 * {@snippet :
 * KafkaSource.from(settings, "orders")
 *         .atLeastOnce()
 *         .to(Sink.forEach(order -> book(order)))
 *         .run();
 * }
 */
public final class KafkaSource<K, V> {

    private final ConsumerSettings<K, V> settings;
    private final Subscription subscription;

    private KafkaSource(ConsumerSettings<K, V> settings, Subscription subscription) {
        this.settings = Objects.requireNonNull(settings, "settings");
        this.subscription = Objects.requireNonNull(subscription, "subscription");
    }

    /** All partitions of the topics. */
    public static <K, V> KafkaSource<K, V> from(ConsumerSettings<K, V> settings, String... topics) {
        return from(settings, Subscription.topics(topics));
    }

    /** The records of the subscription. */
    public static <K, V> KafkaSource<K, V> from(ConsumerSettings<K, V> settings, Subscription subscription) {
        return new KafkaSource<>(settings, subscription);
    }

    /**
     * Emits records at least once: a record's offset is committed after the pipeline has acknowledged it and every
     * earlier record of its partition. Records of a partition are in order; partitions are interleaved batch by batch.
     *
     * <p>Each run has its own client and one thread that owns it. Back-pressure pauses partitions that the pipeline
     * cannot keep up with. When the group revokes partitions, the source waits for their unfinished records
     * ({@link ConsumerSettings#revokeDeadline}), commits the finished ones, and drops those not yet pulled. Transient
     * errors are retried for as long as they last.
     *
     * <p>Fails the run with {@link KafkaPipelineException} when the client reports a permanent fault, and with
     * {@link RecordDecodeException} when a deserializer refuses a record.
     *
     * @throws IllegalArgumentException if the settings name no group
     */
    public Source<ConsumerRecord<K, V>> atLeastOnce() {
        return Source.custom("consume", ConsumerSource.committable(settings, subscription));
    }

    /**
     * Emits a record only after a commit past it is confirmed, so that it is processed at most once. Commits cover many
     * records at a time. A committed record is never repeated: a crash loses the records that were committed and not
     * yet processed.
     *
     * <p>When partitions are revoked or the pipeline is drained, records that were committed ahead are still emitted.
     *
     * @param commitAhead number of records that may be committed and not yet pulled by the pipeline, and so lost in a
     *     crash; at least 1. More means fewer commits; about a thousand is plenty
     */
    public Source<ConsumerRecord<K, V>> atMostOnce(int commitAhead) {
        checkCommitAhead(commitAhead);
        return Source.custom("consume", ConsumerSource.atMostOnce(settings, subscription, commitAhead));
    }

    private static void checkCommitAhead(int commitAhead) {
        if (commitAhead < 1) {
            throw new IllegalArgumentException("commitAhead must be at least 1: commitAhead=" + commitAhead);
        }
    }

    /**
     * Starts an exactly-once flow between topics of one cluster: output records and input offsets are committed
     * together. Close the flow with {@link ExactlyOnceFlow#produceTo}.
     *
     * <p>Reads only committed records, unless the settings say otherwise. In a classic group, a member that does not
     * answer is expelled after 6 s unless {@code session.timeout.ms} is set; the consumer protocol uses the brokers'
     * {@code group.consumer.session.timeout.ms}. The settings' {@code commitInterval} and {@code commitRecords} have no
     * effect, because the flow has its own.
     *
     * @throws IllegalArgumentException if the settings name no group, or the subscription names partitions, which
     *     bypasses the group's assignment
     */
    public ExactlyOnceFlow<K, V> exactlyOnce() {
        return ExactlyOnceFlow.of(settings, subscription);
    }

    /**
     * Emits records without commits or acknowledgement tracking, for topics that are read from the start each time and
     * applications that keep their own positions. The group is optional. Without one, the source reads all partitions
     * of its topics, including those added later, from the subscription's start; with one, it reads the partitions that
     * the group assigns.
     *
     * @throws IllegalArgumentException if the subscription is bounded and a group assigns the partitions, because no
     *     member would know when all are read; omit the group or name the partitions
     */
    public Source<ConsumerRecord<K, V>> plain() {
        return Source.custom("consume", ConsumerSource.plain(settings, subscription, null));
    }

    /**
     * Emits records without commits, from positions kept outside Kafka. A partition is not read before its position is
     * loaded.
     */
    public Source<ConsumerRecord<K, V>> plain(ExternalOffsets offsets) {
        return Source.custom(
                "consume", ConsumerSource.plain(settings, subscription, Objects.requireNonNull(offsets, "offsets")));
    }

    /**
     * Emits a stream for each partition, with records at least once as
     * {@link #atLeastOnce}. The stream begins when the partition is assigned and ends
     * when it is revoked. Each stream has its own buffer, so a slow one delays no other as long as each is processed at
     * its own pace:
     *
     * <pre>{@code
     * KafkaSource.from(settings, "orders")
     *         .partitioned()
     *         .flatMapMerge(Integer.MAX_VALUE, partition -> partition.records().map(this::price))
     * }</pre>
     */
    public Source<PartitionSource<K, V>> partitioned() {
        return Source.custom("consume", PartitionedSource.committable(settings, subscription));
    }

    /**
     * Emits a stream for each partition, as {@link #partitioned()}, without commits. Each
     * stream starts at the position from {@code offsets}, and {@link ExternalOffsets#revoked} is called when work on
     * its records has ended. For results stored together with their position, partition by partition.
     */
    public Source<PartitionSource<K, V>> partitioned(ExternalOffsets offsets) {
        return Source.custom(
                "consume",
                PartitionedSource.external(settings, subscription, Objects.requireNonNull(offsets, "offsets")));
    }

    /**
     * As {@link #atLeastOnce}, but a record refused by a deserializer does not fail the
     * run: it is emitted as {@link Decoded.Refused}, with its bytes. It is committed like any other once the stage that
     * receives it has acknowledged it. If {@link ConsumerSettings#unreadableBatches} says so, a batch that cannot be
     * read is emitted the same way, as one record with the batch's bytes. {@link DeadLetterTopic#divert} sends such
     * records to a topic.
     */
    public Source<Decoded<K, V>> decoded() {
        return undecoded(settings, subscription)
                .map(new RecordDecoder<>(settings.keyDeserializer(), settings.valueDeserializer()))
                .named("decode");
    }

    /**
     * Emits views of records in the receive buffer, at least once. An element is a run of consecutive records of a
     * partition, a batch as its producer wrote it or several small ones, and is acknowledged as a whole. A pipeline
     * then allocates no object per record; with {@link KafkaSink#encoded} as its sink, from topic to topic:
     *
     * <pre>{@code
     * KafkaSource.from(consumer, "clicks")
     *         .views()
     *         .mapParallel(4, views -> views.encode((record, out) ->
     *                 out.send(out.record("copy").key(record.key()).value(record.value()))))
     *         .to(KafkaSink.with(producer).encoded())
     * }</pre>
     *
     * <p>Only for settings with {@link FetchPath#LEAN}; their deserializers are not used. Otherwise as
     * {@link #atLeastOnce}, but commits, windows, rates and meters count elements
     * instead of records, and an unacknowledged element is read again from its first record.
     *
     * @throws IllegalArgumentException if the settings fetch by Kafka's client
     */
    public Source<RecordViews> views() {
        if (settings.fetch() != FetchPath.LEAN) {
            throw new IllegalArgumentException(
                    "views need the lean path: fetch=" + settings.fetch() + "; set fetch(FetchPath.LEAN)");
        }
        return Source.custom("consume", ViewSource.keeping(settings, subscription));
    }

    /**
     * Chooses elements that {@code decoder} makes from each record in the receive buffer, without copying key, value or
     * headers. Only for settings with {@link FetchPath#LEAN}; their deserializers are not used.
     *
     * <p>The decoder runs on the fetch thread, so it must be quick and never block. With several
     * {@linkplain ConsumerSettings#fetchThreads() fetch threads} each of them calls it, so it must be thread-safe. It
     * must not keep the view, which shows the next record afterwards. If it throws or returns null the run fails with
     * {@link RecordDecodeException}; to emit bad records, return an element that marks them.
     */
    public <T> Views<T> decodedBy(Function<RecordView, ? extends T> decoder) {
        return new Views<>(settings, subscription, Objects.requireNonNull(decoder, "decoder"));
    }

    /**
     * Sources whose elements a decoder makes where the records lie; made by {@link KafkaSource#decodedBy}. Immutable
     * and free to share. Each method refuses settings that fetch by Kafka's client.
     */
    public static final class Views<T> {

        private final ConsumerSettings<?, ?> settings;
        private final Subscription subscription;
        private final Function<RecordView, ? extends T> decoder;

        private Views(
                ConsumerSettings<?, ?> settings, Subscription subscription, Function<RecordView, ? extends T> decoder) {
            this.settings = settings;
            this.subscription = subscription;
            this.decoder = decoder;
        }

        /** As {@link KafkaSource#atLeastOnce}. */
        public Source<T> atLeastOnce() {
            return Source.custom("consume", ViewSource.committable(settings, subscription, decoder));
        }

        /**
         * As {@link KafkaSource#atMostOnce}.
         *
         * @param commitAhead records that may be committed and not yet pulled by the pipeline: at least 1
         */
        public Source<T> atMostOnce(int commitAhead) {
            checkCommitAhead(commitAhead);
            return Source.custom("consume", ViewSource.atMostOnce(settings, subscription, commitAhead, decoder));
        }

        /** As {@link KafkaSource#plain()}. */
        public Source<T> plain() {
            return Source.custom("consume", ViewSource.plain(settings, subscription, null, decoder));
        }

        /** As {@link KafkaSource#plain(ExternalOffsets)}. */
        public Source<T> plain(ExternalOffsets offsets) {
            Objects.requireNonNull(offsets, "offsets");
            return Source.custom("consume", ViewSource.plain(settings, subscription, offsets, decoder));
        }
    }

    /** The input of a {@link RecordDecoder}: records, and batches that cannot be read. */
    static Source<ConsumerRecord<byte[], byte[]>> undecoded(
            ConsumerSettings<?, ?> settings, Subscription subscription) {
        return Source.custom(
                "consume",
                ConsumerSource.committableWithUnreadable(
                        settings.raw(), Objects.requireNonNull(subscription, "subscription")));
    }

    /**
     * Emits the records that a share group delivers to this member, at least once and unordered. Workers and members
     * may outnumber partitions.
     *
     * <p>A record is accepted when the pipeline has acknowledged it. It is released for redelivery if a drain, a
     * failure or a cancellation ends its work early. While the pipeline works on it, its lock is renewed halfway
     * through, if the group {@linkplain ShareGroupConfig#renewsLocks renews locks}. After
     * {@link ShareGroupConfig#deliveryLimit} deliveries the brokers give up on the record;
     * {@link ShareSettings.Builder#deadLetterTopic} keeps a copy in a topic before that.
     *
     * <p>By default each run is one member of the group with its own connections ({@link FetchPath#LEAN}); the number
     * of records acquired ahead adapts to measurements. On {@link FetchPath#CLIENT} it has several of Kafka's share
     * consumers.
     *
     * <p>Fails the run with {@link KafkaPipelineException} when the brokers report a permanent fault, and with
     * {@link RecordDecodeException} when a deserializer refuses a record. The start of the run fails if the topic does
     * not exist, the brokers have no share groups, or the group has no start position yet and
     * {@link ShareSettings.Builder#startAt} sets none.
     *
     * @throws IllegalArgumentException if no topic is named, or {@code unreadableBatches} is DEAD_LETTER, which only a
     *     {@link SharedFlow} can do
     */
    public static <K, V> Source<SharedRecord<K, V>> shared(ShareSettings<K, V> settings, String... topics) {
        Objects.requireNonNull(settings, "settings");
        if (settings.unreadableBatches() == ConsumerSettings.UnreadableBatches.DEAD_LETTER) {
            throw new IllegalArgumentException(
                    "unreadableBatches=DEAD_LETTER does not go with a plain source, which has"
                            + " no dead-letter topic; use a SharedFlow, or SKIP");
        }
        RecordDecoder<K, V> decoder = new RecordDecoder<>(settings.keyDeserializer(), settings.valueDeserializer());
        return acquired(settings, ShareSource.topics(topics))
                .map(record -> new SharedRecord<>(record, decoder.decode(record)))
                .named("decode");
    }

    static Source<AcquiredRecord> acquired(ShareSettings<?, ?> settings, List<String> topics) {
        return Source.custom("consume", new ShareSource(settings, topics));
    }
}
