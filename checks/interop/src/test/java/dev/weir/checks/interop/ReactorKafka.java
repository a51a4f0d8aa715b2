package dev.weir.checks.interop;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.produce.Message;
import dev.weir.stream.Pipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.kafka.receiver.KafkaReceiver;
import reactor.kafka.receiver.ReceiverOptions;
import reactor.kafka.sender.KafkaSender;
import reactor.kafka.sender.SenderOptions;
import reactor.kafka.sender.SenderRecord;

/** The patterns of {@code docs/guide/reactor-kafka.md}, written with reactor-kafka and with Weir. Stateless. */
final class ReactorKafka {

    private ReactorKafka() {}

    static Flux<?> receive(ReceiverOptions<String, String> options, Function<String, CompletionStage<String>> charge) {
        return KafkaReceiver.create(options)
                .receive()
                .flatMap(
                        record -> Mono.fromCompletionStage(() -> charge.apply(record.value()))
                                .doOnSuccess(done -> record.receiverOffset().acknowledge()),
                        16);
    }

    static Pipeline atLeastOnce(
            ConsumerSettings<String, String> settings,
            Subscription topic,
            Function<String, CompletionStage<String>> charge) {
        return KafkaSource.from(settings, topic)
                .atLeastOnce()
                .mapAsyncUnordered(16, record -> charge.apply(record.value()))
                .to(Sink.ignore());
    }

    static Flux<?> receiveAutoAck(ReceiverOptions<String, String> options, Consumer<String> handler) {
        return KafkaReceiver.create(options)
                .receiveAutoAck()
                .concatMap(batch -> batch.publishOn(Schedulers.boundedElastic())
                        .doOnNext(record -> handler.accept(record.value())));
    }

    static Pipeline oneByOne(ConsumerSettings<String, String> settings, Subscription topic, Consumer<String> handler) {
        return KafkaSource.from(settings, topic)
                .atLeastOnce()
                .to(Sink.forEachBlocking(1, record -> handler.accept(record.value())));
    }

    static Flux<?> receiveAtmostOnce(ReceiverOptions<String, String> options, Consumer<String> handler) {
        return KafkaReceiver.create(options.atmostOnceCommitAheadSize(100))
                .receiveAtmostOnce()
                .doOnNext(record -> handler.accept(record.value()));
    }

    static Pipeline atMostOnce(
            ConsumerSettings<String, String> settings, Subscription topic, Consumer<String> handler) {
        return KafkaSource.from(settings, topic)
                .atMostOnce(100)
                .to(Sink.forEach(record -> handler.accept(record.value())));
    }

    static Flux<?> groupByPartition(ReceiverOptions<String, String> options, BiConsumer<Integer, String> handler) {
        return KafkaReceiver.create(options)
                .receive()
                .groupBy(record -> record.receiverOffset().topicPartition())
                .flatMap(
                        partition -> partition
                                .publishOn(Schedulers.boundedElastic())
                                .doOnNext(record -> {
                                    handler.accept(record.partition(), record.value());
                                    record.receiverOffset().acknowledge();
                                }),
                        100);
    }

    static Pipeline byPartition(
            ConsumerSettings<String, String> settings, Subscription topic, BiConsumer<Integer, String> handler) {
        return KafkaSource.from(settings, topic)
                .atLeastOnce()
                .mapBlocking(100, RecordOrdering.byPartition(), record -> {
                    handler.accept(record.partition(), record.value());
                    return record;
                })
                .to(Sink.ignore());
    }

    static Pipeline exactlyOnce(
            ConsumerSettings<String, String> settings,
            Subscription topic,
            ProducerSettings<String, String> output,
            Function<ConsumerRecord<String, String>, ProducerRecord<String, String>> bill) {
        return KafkaSource.from(settings, topic).exactlyOnce().produceTo(output, records -> records.map(bill));
    }

    static Flux<?> send(SenderOptions<String, String> options, List<String> orders, BiConsumer<String, Long> sent) {
        KafkaSender<String, String> sender = KafkaSender.create(options);
        return sender.send(Flux.fromIterable(orders)
                        .map(order -> SenderRecord.create(new ProducerRecord<>("sent", order, order), order)))
                .doOnNext(result -> sent.accept(
                        result.correlationMetadata(), result.recordMetadata().offset()))
                .doFinally(end -> sender.close());
    }

    static Pipeline producing(
            ProducerSettings<String, String> settings, List<String> orders, BiConsumer<String, Long> sent) {
        return Source.from(orders)
                .map(order -> Message.single(new ProducerRecord<>("sent", order, order), order))
                .via(KafkaSink.with(settings).<String>flow())
                .to(Sink.forEach(produced -> sent.accept(
                        produced.passThrough(), produced.metadata().getFirst().offset())));
    }

    /** Answers like a service in the samples. */
    static CompletionStage<String> answer(String order) {
        return CompletableFuture.completedStage("charged " + order);
    }
}
