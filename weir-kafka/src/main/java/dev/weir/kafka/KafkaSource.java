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
 * Sources of consumed records. Choose a subscription first, and then a delivery guarantee. Immutable and safe to share.
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

    /** Selects all partitions of the topics. */
    public static <K, V> KafkaSource<K, V> from(ConsumerSettings<K, V> settings, String... topics) {
        return from(settings, Subscription.topics(topics));
    }

    /** Selects the records of the subscription. */
    public static <K, V> KafkaSource<K, V> from(ConsumerSettings<K, V> settings, Subscription subscription) {
        return new KafkaSource<>(settings, subscription);
    }

    /**
     * Emits records at least once: an offset is committed when the pipeline has acknowledged all records up to it.
     * Records of a partition are emitted in order; partitions are interleaved batch by batch.
     *
     * <p>Each run has its own client and one thread that owns it. Partitions are paused while the pipeline cannot keep
     * up. After a revocation, the source waits for unfinished records ({@link ConsumerSettings#revokeDeadline}),
     * commits the finished records, and drops records that were not pulled. Transient errors are retried for as long as
     * they last.
     *
     * <p>The run fails with {@link KafkaPipelineException} if the client reports a permanent error, and with
     * {@link RecordDecodeException} if a deserializer rejects a record.
     *
     * @throws IllegalArgumentException if the settings do not contain a group
     */
    public Source<ConsumerRecord<K, V>> atLeastOnce() {
        return Source.custom("consume", ConsumerSource.committable(settings, subscription));
    }

    /**
     * Emits a record only after its commit, and thus at most once. A crash loses committed records that were not
     * processed. Records committed ahead are still emitted after a revocation or during a drain.
     *
     * @param commitAhead the maximum number of records that are committed but not pulled, and lost in a crash; at least
     *     1. A higher number means fewer commits; about a thousand is enough
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
     * Starts an exactly-once flow between topics of one cluster. Output records and input offsets are committed
     * together. Complete the flow with {@link ExactlyOnceFlow#produceTo}.
     *
     * <p>The flow reads only committed records, unless the settings specify otherwise. A classic group expels a member
     * that does not respond for 6 s, unless {@code session.timeout.ms} is set; with the consumer protocol, the brokers'
     * {@code group.consumer.session.timeout.ms} applies. The {@code commitInterval} and {@code commitRecords} of the
     * settings have no effect.
     *
     * @throws IllegalArgumentException if the settings do not contain a group, or the subscription selects individual
     *     partitions
     */
    public ExactlyOnceFlow<K, V> exactlyOnce() {
        return ExactlyOnceFlow.of(settings, subscription);
    }

    /**
     * Emits records without commits or acknowledgements, for topics that are always read from the beginning and for
     * applications that store their own positions. With a group, the source reads the partitions that the group
     * assigns. Without one, it reads all partitions of its topics, including partitions added later, from the
     * subscription's start position.
     *
     * @throws IllegalArgumentException if the subscription is bounded and a group assigns the partitions. Omit the
     *     group or name the partitions
     */
    public Source<ConsumerRecord<K, V>> plain() {
        return Source.custom("consume", ConsumerSource.plain(settings, subscription, null));
    }

    /**
     * Emits records without commits, from positions stored outside Kafka. A partition is read when its position is
     * loaded.
     */
    public Source<ConsumerRecord<K, V>> plain(ExternalOffsets offsets) {
        return Source.custom(
                "consume", ConsumerSource.plain(settings, subscription, Objects.requireNonNull(offsets, "offsets")));
    }

    /**
     * Emits one stream per partition. The records of each stream are emitted at least once, as with
     * {@link #atLeastOnce}. A stream begins when its partition is assigned and ends when the partition is revoked. Each
     * stream has its own buffer. Process all streams concurrently, so that a slow one does not delay the others:
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
     * Emits one stream per partition, like {@link #partitioned()}, but without commits. A stream starts at the position
     * from {@code offsets}. {@link ExternalOffsets#revoked} is called when work on its records has ended. Use this
     * source to store results together with positions.
     */
    public Source<PartitionSource<K, V>> partitioned(ExternalOffsets offsets) {
        return Source.custom(
                "consume",
                PartitionedSource.external(settings, subscription, Objects.requireNonNull(offsets, "offsets")));
    }

    /**
     * Emits records like {@link #atLeastOnce}, but a record rejected by a deserializer does not fail the run: it is
     * emitted as {@link Decoded.Refused}, with its bytes. If {@link ConsumerSettings#unreadableBatches} is
     * {@code DEAD_LETTER}, an unreadable batch is also emitted like this, as one record with the batch's bytes.
     * {@link DeadLetterTopic#divert} sends such records to a topic.
     */
    public Source<Decoded<K, V>> decoded() {
        return undecoded(settings, subscription)
                .map(new RecordDecoder<>(settings.keyDeserializer(), settings.valueDeserializer()))
                .named("decode");
    }

    /**
     * Emits views of records in the receive buffer, at least once. An element contains consecutive records of a
     * partition, from one or more producer batches, and is acknowledged as a unit. No object is allocated per record.
     * {@link KafkaSink#encoded} writes records without allocation, too:
     *
     * <pre>{@code
     * KafkaSource.from(consumer, "clicks")
     *         .views()
     *         .mapParallel(4, views -> views.encode((record, out) ->
     *                 out.send(out.record("copy").key(record.key()).value(record.value()))))
     *         .to(KafkaSink.with(producer).encoded())
     * }</pre>
     *
     * <p>Requires {@link FetchPath#LEAN}. The deserializers in the settings are not used. Otherwise, this source works
     * like {@link #atLeastOnce}, with two exceptions: commits, windows, rates and meters count elements instead of
     * records, and an unacknowledged element is read again from its first record.
     *
     * @throws IllegalArgumentException if the settings specify Kafka's client as the fetch path
     */
    public Source<RecordViews> views() {
        if (settings.fetch() != FetchPath.LEAN) {
            throw new IllegalArgumentException(
                    "views need the lean path: fetch=" + settings.fetch() + "; set fetch(FetchPath.LEAN)");
        }
        return Source.custom("consume", ViewSource.keeping(settings, subscription));
    }

    /**
     * Returns sources of the elements that {@code decoder} creates from the records. The decoder reads each record in
     * the receive buffer, without a copy. Requires {@link FetchPath#LEAN}. The deserializers in the settings are not
     * used.
     *
     * <p>The decoder runs on the fetch thread, so it must be fast and must never block. With several
     * {@linkplain ConsumerSettings#fetchThreads() fetch threads}, it must be thread-safe. It must not retain the view,
     * which is reused for the next record. If it throws or returns null, the run fails with
     * {@link RecordDecodeException}. For invalid records, return elements that mark them as invalid.
     */
    public <T> Views<T> decodedBy(Function<RecordView, ? extends T> decoder) {
        return new Views<>(settings, subscription, Objects.requireNonNull(decoder, "decoder"));
    }

    /**
     * Sources of elements that a decoder creates from records in the receive buffer; see {@link KafkaSource#decodedBy}.
     * Immutable and safe to share. Each method refuses settings with Kafka's client as the fetch path.
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

        /** Emits elements at least once; see {@link KafkaSource#atLeastOnce}. */
        public Source<T> atLeastOnce() {
            return Source.custom("consume", ViewSource.committable(settings, subscription, decoder));
        }

        /**
         * Emits elements at most once; see {@link KafkaSource#atMostOnce}.
         *
         * @param commitAhead the maximum number of records that are committed but not pulled; at least 1
         */
        public Source<T> atMostOnce(int commitAhead) {
            checkCommitAhead(commitAhead);
            return Source.custom("consume", ViewSource.atMostOnce(settings, subscription, commitAhead, decoder));
        }

        /** Emits elements without commits; see {@link KafkaSource#plain()}. */
        public Source<T> plain() {
            return Source.custom("consume", ViewSource.plain(settings, subscription, null, decoder));
        }

        /**
         * Emits elements without commits, from positions stored outside Kafka; see
         * {@link KafkaSource#plain(ExternalOffsets)}.
         */
        public Source<T> plain(ExternalOffsets offsets) {
            Objects.requireNonNull(offsets, "offsets");
            return Source.custom("consume", ViewSource.plain(settings, subscription, offsets, decoder));
        }
    }

    /** Returns the input for a {@link RecordDecoder}: records and unreadable batches. */
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
     * <p>A record is accepted when the pipeline has acknowledged it, and released for redelivery after a drain, a
     * failure or a cancellation. If the group {@linkplain ShareGroupConfig#renewsLocks allows renewal}, the acquisition
     * lock is renewed after half of its duration while the pipeline works on the record. The brokers deliver a record
     * at most {@link ShareGroupConfig#deliveryLimit} times. Before its last deliveries, a record is copied to
     * {@link ShareSettings.Builder#deadLetterTopic}, if set.
     *
     * <p>By default, each run is one member of the group with its own connections ({@link FetchPath#LEAN}), and Weir
     * continually adapts the number of records acquired in advance. With {@link FetchPath#CLIENT}, a run uses several
     * of Kafka's share consumers.
     *
     * <p>The run fails with {@link KafkaPipelineException} if the brokers report a permanent error, and with
     * {@link RecordDecodeException} if a deserializer rejects a record. It fails at its start if a topic does not
     * exist, the brokers do not support share groups, or neither the group nor {@link ShareSettings.Builder#startAt}
     * sets a start position.
     *
     * @throws IllegalArgumentException if no topic is named, or {@code unreadableBatches} is DEAD_LETTER, which
     *     requires a {@link SharedFlow}
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
