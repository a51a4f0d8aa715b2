package dev.weir.checks.integration;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RetryTopics;
import dev.weir.kafka.Sender;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.TransactionalSink;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.kafka.produce.Message;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.Sink;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A way to write records, tested by {@link WriteMatrixTest}: a pipeline that writes each record of a topic to another
 * topic.
 */
enum WriteWay {
    /** {@link KafkaSink#records}. */
    SINK,
    /** {@code HandledFlow.produceTo}. */
    ROUTED,
    /** {@link KafkaSink#flow}. */
    RESULTS,
    /** {@link KafkaSink#encoded}. */
    ENCODED,
    /** {@link TransactionalSink}. */
    TRANSACTIONAL,
    /** {@code ExactlyOnceFlow.produceTo}. */
    EXACTLY_ONCE,
    /** {@link DeadLetterTopic#sink}. */
    DEAD_LETTER,
    /** {@link RetryTopics}, after a handler has failed. */
    RETRY_TOPIC,
    /** Copies of a share group's records, written during their last deliveries. */
    PARKED_COPY,
    /** {@link Sender}. */
    SENDER;

    /** Returns whether this way accepts a rule for records that cannot be written. */
    boolean takesRules() {
        return compareTo(EXACTLY_ONCE) <= 0;
    }

    boolean isTransactional() {
        return this == TRANSACTIONAL || this == EXACTLY_ONCE;
    }

    /** Returns whether this way waits for a topic instead of failing or leaving a record out. */
    boolean isForwarding() {
        return this == DEAD_LETTER || this == RETRY_TOPIC || this == PARKED_COPY;
    }

    Pipeline pipeline(WriteCase of) {
        ConsumerSettings<byte[], byte[]> consumer = of.consumer();
        ProducerSettings<byte[], byte[]> producer = of.producer();
        Subscription in = Subscription.topics(of.name());
        KafkaSource<byte[], byte[]> source = KafkaSource.from(consumer, in);
        return switch (this) {
            case SINK ->
                source.atLeastOnce()
                        .map(of::made)
                        .to(KafkaSink.with(producer).onFailure(of.rule()).records());
            case ROUTED ->
                KafkaFlow.from(consumer, in)
                        .handle(1, Ordering.input(), record -> record)
                        .produceTo(producer, of::made, of.rule());
            case RESULTS ->
                source.atLeastOnce()
                        .map(record -> Message.single(of.made(record), record))
                        .via(producing(of).onFailure(of.rule()).<ConsumerRecord<byte[], byte[]>>flow())
                        .to(Sink.ignore());
            case ENCODED ->
                KafkaSource.from(consumer.toBuilder().fetch(FetchPath.LEAN).build(), in)
                        .views()
                        .mapParallel(
                                1,
                                views -> views.encode((record, out) -> out.send(out.record(of.topic(record.offset()))
                                        .timestamp(record.timestamp())
                                        .content(record))))
                        .to(KafkaSink.with(producer).onFailure(of.rule()).encoded());
            case TRANSACTIONAL ->
                source.atLeastOnce()
                        .map(of::made)
                        .to(KafkaSink.with(producer)
                                .transactional(of.name())
                                .commitInterval(Duration.ofMillis(50))
                                .onFailure(of.rule())
                                .records());
            case EXACTLY_ONCE ->
                source.exactlyOnce()
                        .commitInterval(Duration.ofMillis(50))
                        .onFailure(of.rule())
                        .produceTo(producer, records -> records.map(of::made));
            case DEAD_LETTER ->
                source.atLeastOnce()
                        .map(record -> new FailedRecord(
                                of.handled(record), FailedRecord.Reason.HANDLER, notOfThisForm(), 1, false))
                        .to(DeadLetterTopic.of(of.out(), producer).sink());
            case RETRY_TOPIC ->
                KafkaFlow.from(consumer, in)
                        .handle(1, Ordering.input(), record -> failing(of, record))
                        .retryTopics(RetryTopics.of(of.out(), Duration.ofDays(1)))
                        .deadLetter(DeadLetterTopic.of(of.name() + "-last", producer))
                        .pipeline();
            case PARKED_COPY ->
                KafkaFlow.shared(share(of), of.name())
                        .forEach(1, Ordering.unordered(), of::handled)
                        .pipeline();
            case SENDER -> source.plain().to(Sink.forEach(of::sendSingly));
        };
    }

    private static KafkaSink<byte[], byte[]> producing(WriteCase of) {
        Sender<byte[], byte[]> shared = of.shared();
        return shared == null ? KafkaSink.with(of.producer()) : KafkaSink.with(shared);
    }

    /** Returns an exception without a stack trace, to keep the dead-letter record small. */
    private static IllegalArgumentException notOfThisForm() {
        IllegalArgumentException cause = new IllegalArgumentException("not of this form");
        cause.setStackTrace(new StackTraceElement[0]);
        return cause;
    }

    private static ConsumerRecord<byte[], byte[]> failing(WriteCase of, ConsumerRecord<byte[], byte[]> record) {
        var ignored = of.handled(record);
        throw notOfThisForm();
    }

    /** Returns settings of a share group in which each delivery is one of the last. */
    private static ShareSettings<byte[], byte[]> share(WriteCase of) {
        return ShareSettings.builder()
                .bootstrapServers(of.cluster().bootstrapServers())
                .groupId(of.name())
                .startAt(ShareSettings.Start.EARLIEST)
                .deadLetterTopic(DeadLetterTopic.of(of.out(), of.producer()))
                .build();
    }
}
