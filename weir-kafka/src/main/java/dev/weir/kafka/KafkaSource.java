package dev.weir.kafka;

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

/** Sources of consumed records. */
public final class KafkaSource {

    private KafkaSource() {}

    /** {@link #atLeastOnce(ConsumerSettings, Subscription)} of all partitions of the topics. */
    public static <K, V> Source<ConsumerRecord<K, V>> atLeastOnce(ConsumerSettings<K, V> settings, String... topics) {
        return atLeastOnce(settings, Subscription.topics(topics));
    }

    /**
     * At-least-once: a record's offset is committed after the pipeline has acknowledged it and every record before it
     * in its partition. Records of a partition come in order; partitions are interleaved batch by batch.
     *
     * <p>Each run has its own client and one thread that owns it. Back-pressure pauses the partitions that the
     * pipeline cannot keep up with. When the group takes partitions away, their unfinished records are waited for
     * ({@link ConsumerSettings#revokeDeadline}), the finished ones committed, and those not yet pulled are dropped.
     * Errors that pass are retried for as long as they last.
     *
     * <p>Fails the run with {@link KafkaPipelineException} when the client reports a fault that waiting does not cure,
     * and with {@link RecordDecodeException} when a deserializer refuses a record.
     *
     * @throws IllegalArgumentException if the settings name no group
     */
    public static <K, V> Source<ConsumerRecord<K, V>> atLeastOnce(
            ConsumerSettings<K, V> settings, Subscription subscription) {
        return Source.custom("consume", ConsumerSource.committable(settings, subscription));
    }

    /**
     * As {@link #atLeastOnce(ConsumerSettings, Subscription)}, with elements made by {@code decoder} from each record
     * where it lies in the receive buffer: key, value and headers are never copied. For settings with {@link
     * FetchPath#LEAN} only; their deserializers are not used.
     *
     * <p>The decoder is called on the thread that fetches, so it must be quick and never wait; with several
     * {@linkplain ConsumerSettings#fetchThreads() fetch threads}, by each of them, so it must be thread-safe. It
     * keeps nothing of the view, which shows the next record afterwards. If it throws or returns null the run fails
     * with {@link RecordDecodeException}; to have bad records as elements, return something that says so.
     *
     * @throws IllegalArgumentException if the settings fetch by Kafka's client
     */
    public static <T> Source<T> atLeastOnce(
            ConsumerSettings<?, ?> settings, Subscription subscription, Function<RecordView, ? extends T> decoder) {
        return Source.custom("consume", ViewSource.committable(settings, subscription, decoder));
    }

    /** {@link #atLeastOnce(ConsumerSettings, Subscription, Function)} of all partitions of the topics. */
    public static <T> Source<T> atLeastOnce(
            ConsumerSettings<?, ?> settings, Function<RecordView, ? extends T> decoder, String... topics) {
        return atLeastOnce(settings, Subscription.topics(topics), decoder);
    }

    /** {@link #views(ConsumerSettings, Subscription)} of all partitions of the topics. */
    public static Source<RecordViews> views(ConsumerSettings<?, ?> settings, String... topics) {
        return views(settings, Subscription.topics(topics));
    }

    /**
     * At-least-once, with records where they lie: an element is some records of a partition in a row, a batch as its
     * producer wrote it or a few small ones, and is acknowledged as one. So a pipeline costs no object per record;
     * with {@link KafkaSink#encoded} at its end, from topic to topic:
     *
     * <pre>{@code
     * KafkaSource.views(consumer, "clicks")
     *         .mapParallel(4, views -> views.encode((record, out) ->
     *                 out.send(out.record("copy").key(record.key()).value(record.value()))))
     *         .to(KafkaSink.encoded(producer))
     * }</pre>
     *
     * <p>For settings with {@link FetchPath#LEAN} only; their deserializers are not used. All else is as with {@link
     * #atLeastOnce(ConsumerSettings, Subscription)}: what is counted per record there (commits, windows, rates,
     * meters) is counted per element here, and what was not acknowledged comes again from the first record of its
     * element on.
     *
     * @throws IllegalArgumentException if the settings fetch by Kafka's client
     */
    public static Source<RecordViews> views(ConsumerSettings<?, ?> settings, Subscription subscription) {
        Objects.requireNonNull(subscription, "subscription");
        if (Objects.requireNonNull(settings, "settings").fetch() != FetchPath.LEAN) {
            throw new IllegalArgumentException(
                    "views need the lean path: fetch=" + settings.fetch() + "; set fetch(FetchPath.LEAN)");
        }
        return Source.custom("consume", ViewSource.keeping(settings, subscription));
    }

    /** {@link #plain(ConsumerSettings, Subscription)} of all partitions of the topics. */
    public static <K, V> Source<ConsumerRecord<K, V>> plain(ConsumerSettings<K, V> settings, String... topics) {
        return plain(settings, Subscription.topics(topics));
    }

    /**
     * Commits nothing and tracks no acknowledgement: for topics that may be read anew each time, and applications that
     * keep their own positions. The group is optional. Without one the source reads all partitions of its topics, also
     * those that are added later, from the subscription's start; with one, those that the group gives to it.
     *
     * @throws IllegalArgumentException if the subscription is bounded and the group shares its partitions out: nobody
     *     would know when all are read; leave the group out, or name the partitions
     */
    public static <K, V> Source<ConsumerRecord<K, V>> plain(
            ConsumerSettings<K, V> settings, Subscription subscription) {
        return Source.custom("consume", ConsumerSource.plain(settings, subscription, null));
    }

    /**
     * Consumes without commits, going on at positions that are kept outside Kafka. A partition that comes is not read
     * before its position is loaded.
     */
    public static <K, V> Source<ConsumerRecord<K, V>> plain(
            ConsumerSettings<K, V> settings, Subscription subscription, ExternalOffsets offsets) {
        return Source.custom(
                "consume", ConsumerSource.plain(settings, subscription, Objects.requireNonNull(offsets, "offsets")));
    }

    /**
     * As {@link #plain(ConsumerSettings, Subscription)}, with elements made by {@code decoder} where the records lie:
     * see {@link #atLeastOnce(ConsumerSettings, Subscription, Function)}.
     *
     * @throws IllegalArgumentException if the settings fetch by Kafka's client
     */
    public static <T> Source<T> plainViews(
            ConsumerSettings<?, ?> settings, Subscription subscription, Function<RecordView, ? extends T> decoder) {
        return Source.custom("consume", ViewSource.plain(settings, subscription, null, decoder));
    }

    /** {@link #plainViews(ConsumerSettings, Subscription, Function)} of all partitions of the topics. */
    public static <T> Source<T> plainViews(
            ConsumerSettings<?, ?> settings, Function<RecordView, ? extends T> decoder, String... topics) {
        return plainViews(settings, Subscription.topics(topics), decoder);
    }

    /**
     * As {@link #plain(ConsumerSettings, Subscription, ExternalOffsets)}, with elements made by {@code decoder} where
     * the records lie: see {@link #atLeastOnce(ConsumerSettings, Subscription, Function)}.
     *
     * @throws IllegalArgumentException if the settings fetch by Kafka's client
     */
    public static <T> Source<T> plainViews(
            ConsumerSettings<?, ?> settings,
            Subscription subscription,
            ExternalOffsets offsets,
            Function<RecordView, ? extends T> decoder) {
        Objects.requireNonNull(offsets, "offsets");
        return Source.custom("consume", ViewSource.plain(settings, subscription, offsets, decoder));
    }

    /**
     * At-most-once: a record is emitted only when a commit past it is confirmed, so that nobody ever sees it again.
     * Such commits are made for many records at a time. Whatever happens then, the record is not repeated: a crash
     * loses what was committed and not yet worked on.
     *
     * <p>When the group takes partitions away, or the pipeline is drained, records that were committed ahead still go
     * out.
     *
     * @param commitAhead records that may be committed and not yet pulled by the pipeline, and so lost in a crash: at
     *     least 1; commits are the fewer the more it is, a thousand or so is plenty
     */
    public static <K, V> Source<ConsumerRecord<K, V>> atMostOnce(
            ConsumerSettings<K, V> settings, Subscription subscription, int commitAhead) {
        checkCommitAhead(commitAhead);
        return Source.custom("consume", ConsumerSource.atMostOnce(settings, subscription, commitAhead));
    }

    /**
     * As {@link #atMostOnce(ConsumerSettings, Subscription, int)}, with elements made by {@code decoder} where the
     * records lie: see {@link #atLeastOnce(ConsumerSettings, Subscription, Function)}.
     *
     * @param commitAhead records that may be committed and not yet pulled by the pipeline: at least 1
     * @throws IllegalArgumentException if the settings fetch by Kafka's client
     */
    public static <T> Source<T> atMostOnce(
            ConsumerSettings<?, ?> settings,
            Subscription subscription,
            int commitAhead,
            Function<RecordView, ? extends T> decoder) {
        checkCommitAhead(commitAhead);
        return Source.custom("consume", ViewSource.atMostOnce(settings, subscription, commitAhead, decoder));
    }

    /** {@link #atMostOnce(ConsumerSettings, Subscription, int, Function)} of all partitions of the topics. */
    public static <T> Source<T> atMostOnce(
            ConsumerSettings<?, ?> settings,
            int commitAhead,
            Function<RecordView, ? extends T> decoder,
            String... topics) {
        return atMostOnce(settings, Subscription.topics(topics), commitAhead, decoder);
    }

    private static void checkCommitAhead(int commitAhead) {
        if (commitAhead < 1) {
            throw new IllegalArgumentException("commitAhead must be at least 1: commitAhead=" + commitAhead);
        }
    }

    /** {@link #atMostOnce(ConsumerSettings, Subscription, int)} of all partitions of the topics. */
    public static <K, V> Source<ConsumerRecord<K, V>> atMostOnce(
            ConsumerSettings<K, V> settings, int commitAhead, String... topics) {
        return atMostOnce(settings, Subscription.topics(topics), commitAhead);
    }

    /** {@link #partitioned(ConsumerSettings, Subscription)} of all partitions of the topics. */
    public static <K, V> Source<PartitionSource<K, V>> partitioned(ConsumerSettings<K, V> settings, String... topics) {
        return partitioned(settings, Subscription.topics(topics));
    }

    /** {@link #exactlyOnce(ConsumerSettings, Subscription)} of all partitions of the topics. */
    public static <K, V> ExactlyOnceFlow<K, V> exactlyOnce(ConsumerSettings<K, V> settings, String... topics) {
        return exactlyOnce(settings, Subscription.topics(topics));
    }

    /**
     * Exactly-once from topics to topics of one cluster: a flow, as the records that are written and the offsets of
     * those that were read are committed together. Close it with {@link ExactlyOnceFlow#produceTo}.
     *
     * <p>Reads committed records only, unless the settings say otherwise. In a classic group a member that does not
     * answer is expelled after 6 s ({@code session.timeout.ms}) unless the settings say otherwise; the consumer
     * protocol has the brokers' {@code group.consumer.session.timeout.ms}. The settings' {@code commitInterval} and
     * {@code commitRecords} have no effect: the flow has its own.
     *
     * @throws IllegalArgumentException if the settings name no group, or the subscription names partitions, which no
     *     group shares out
     */
    public static <K, V> ExactlyOnceFlow<K, V> exactlyOnce(ConsumerSettings<K, V> settings, Subscription subscription) {
        return ExactlyOnceFlow.of(settings, subscription);
    }

    /**
     * Records at least once, as {@link #atLeastOnce(ConsumerSettings, Subscription)}, with a stream for each
     * partition, which begins when the partition comes and ends when the group takes it away. Each has its own
     * buffer, so that a slow one delays no other, as long as each runs at its own pace:
     *
     * <pre>{@code
     * KafkaSource.partitioned(settings, Subscription.topics("orders"))
     *         .flatMapMerge(Integer.MAX_VALUE, partition -> partition.records().map(this::price))
     * }</pre>
     */
    public static <K, V> Source<PartitionSource<K, V>> partitioned(
            ConsumerSettings<K, V> settings, Subscription subscription) {
        return Source.custom("consume", PartitionedSource.committable(settings, subscription));
    }

    /**
     * A stream for each partition, as {@link #partitioned(ConsumerSettings, Subscription)}, without commits: each
     * goes on at the position that {@code offsets} has for it, and {@link ExternalOffsets#revoked} is called when
     * work on its records has ended. For results that are stored with the position, partition by partition.
     */
    public static <K, V> Source<PartitionSource<K, V>> partitioned(
            ConsumerSettings<K, V> settings, Subscription subscription, ExternalOffsets offsets) {
        return Source.custom(
                "consume",
                PartitionedSource.external(settings, subscription, Objects.requireNonNull(offsets, "offsets")));
    }

    /** {@link #decoded(ConsumerSettings, Subscription)} of all partitions of the topics. */
    public static <K, V> Source<Decoded<K, V>> decoded(ConsumerSettings<K, V> settings, String... topics) {
        return decoded(settings, Subscription.topics(topics));
    }

    /**
     * As {@link #atLeastOnce(ConsumerSettings, Subscription)}, but a record that a deserializer refuses does not fail
     * the run: it is emitted as {@link Decoded.Refused}, with its bytes. The stage that takes it decides its
     * acknowledgement; once it is acknowledged it is committed like any other. A batch that cannot be read is emitted
     * likewise, as one record with the batch's bytes, if {@link ConsumerSettings#unreadableBatches} says so.
     * {@link DeadLetters#divert} sends such records to a topic.
     */
    public static <K, V> Source<Decoded<K, V>> decoded(ConsumerSettings<K, V> settings, Subscription subscription) {
        return undecoded(settings, subscription)
                .map(new RecordDecoder<>(settings.keyDeserializer(), settings.valueDeserializer()))
                .named("decode");
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
     * Records that a share group lends to this member, at least once and in no order: any number of workers on any
     * number of partitions, with as many other members as are wanted.
     *
     * <p>A record is accepted when the pipeline has acknowledged it. It is released, so that the group delivers it
     * again, when the pipeline gives it back: by a drain, a failure or a cancellation. Its lock is renewed at half
     * its time while the pipeline works on it, if the group {@linkplain ShareGroupConfig#renewsLocks renews locks}.
     * Each delivery counts, and after {@link ShareGroupConfig#deliveryLimit} of them the brokers give the record up:
     * say {@link ShareSettings.Builder#deadLetters}, so that a copy stands in a topic by then.
     *
     * <p>Each run has several share consumers, as one would fetch nothing while one of its records is open. How many,
     * and how much they ask for, follows what is measured.
     *
     * <p>Fails the run with {@link KafkaPipelineException} when the brokers report a fault that waiting does not cure,
     * and with {@link RecordDecodeException} when a deserializer refuses a record. The start of the run fails if there
     * is no such topic, the brokers have no share groups, or the group has not begun and nobody has said where it
     * should ({@link ShareSettings.Builder#startAt}).
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
