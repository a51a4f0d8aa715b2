package dev.weir.drivers.reactor;

import dev.weir.driver.Driver;
import dev.weir.driver.Feature;
import dev.weir.driver.Pacer;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import dev.weir.driver.SendPlan;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.kafka.receiver.KafkaReceiver;
import reactor.kafka.receiver.ReceiverOptions;
import reactor.kafka.sender.KafkaSender;
import reactor.kafka.sender.SenderOptions;
import reactor.kafka.sender.SenderRecord;

/**
 * Runs {@code receive}, with or without acknowledgements, or {@code receiveAtmostOnce}. Confined to the main thread;
 * Reactor's schedulers run the streams.
 */
final class ReactorDriver implements Driver {
    private static final long CLOSE_SECONDS = 30;

    private final Map<String, String> consumer;

    /** Creates a driver with these consumer properties, which the workload's properties override. */
    ReactorDriver(Map<String, String> consumer) {
        this.consumer = consumer;
    }

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(
                Scenario.CONSUME,
                Scenario.STEADY,
                Scenario.AT_LEAST_ONCE,
                Scenario.AT_MOST_ONCE,
                Scenario.COPY,
                Scenario.PRODUCE);
    }

    @Override
    public Set<Feature> features() {
        return Set.of(Feature.TRANSACTIONS, Feature.TOPICS);
    }

    private static int number(ConsumerRecord<byte[], byte[]> record, Pass pass) {
        return pass.topics().number(record.topic(), record.partition());
    }

    @Override
    public void run(Pass pass) throws Exception {
        if (pass.configuration().scenario() == Scenario.PRODUCE) {
            produce(pass);
            return;
        }
        Map<String, Object> config = new HashMap<>(pass.clientConfig().consumerOfLibrary(consumer));
        boolean isCopy = pass.configuration().scenario() == Scenario.COPY;
        boolean acknowledges = isCopy || pass.configuration().scenario() == Scenario.AT_LEAST_ONCE;
        CountDownLatch closed = new CountDownLatch(1);
        ReceiverOptions<byte[], byte[]> options = ReceiverOptions.<byte[], byte[]>create(config)
                .withKeyDeserializer(new ByteArrayDeserializer())
                .withValueDeserializer(new ByteArrayDeserializer() {
                    @Override
                    public void close() {
                        closed.countDown(); // the consumer closes its deserializer last
                    }
                })
                .subscription(pass.topics().names())
                .commitBatchSize(0)
                .atmostOnceCommitAheadSize(pass.options().commitAhead() - 1)
                .commitInterval(
                        acknowledges ? Duration.ofMillis(pass.options().commitIntervalMillis()) : Duration.ZERO);
        KafkaReceiver<byte[], byte[]> receiver = KafkaReceiver.create(options);
        ReactorCopy copy = new ReactorCopy(pass);
        Flux<?> records = switch (pass.configuration().scenario()) {
            case CONSUME, STEADY ->
                receiver.receive().doOnNext(record -> pass.delivered(number(record, pass), record.value()));
            case AT_LEAST_ONCE ->
                receiver.receive().doOnNext(record -> {
                    pass.delivered(number(record, pass), record.value());
                    record.receiverOffset().acknowledge();
                });
            case AT_MOST_ONCE ->
                receiver.receiveAtmostOnce().doOnNext(record -> pass.delivered(number(record, pass), record.value()));
            case COPY -> copy.of(receiver.receive());
            default ->
                throw new IllegalArgumentException(
                        "not offered: " + pass.configuration().scenario());
        };
        Disposable subscription = records.subscribe(record -> {}, pass::fail);
        pass.awaitDone();
        copy.awaitWritten();
        // dispose() returns at once, and the consumer closes on its own thread. Wait for it, so that passes do not
        // overlap.
        subscription.dispose();
        if (!closed.await(CLOSE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("its consumer did not close within " + CLOSE_SECONDS + " s");
        }
        copy.close();
    }

    private static void produce(Pass pass) throws InterruptedException {
        Map<String, Object> config = new HashMap<>(pass.clientConfig().producer(Map.of()));
        int transaction = pass.options().transactionRecords();
        if (transaction > 0) {
            config.put("transactional.id", pass.group());
        }
        SenderOptions<byte[], byte[]> options = options(config, pass);
        int partitions = pass.configuration().partitions();
        int valueBytes = pass.configuration().valueBytes();
        String topic = pass.configuration().topic();
        Pacer pacer = pass.pacer();
        Flux<SenderRecord<byte[], byte[], Long>> records = Flux.<SenderRecord<byte[], byte[], Long>, Long>generate(
                        () -> 0L, (i, sink) -> {
                            int partition = (int) (i % partitions);
                            long ticket = pacer.next(partition);
                            sink.next(SenderRecord.create(
                                    new ProducerRecord<>(topic, partition, null, pass.value(i / partitions)), ticket));
                            return i + 1;
                        })
                .take(pass.wanted())
                .takeUntil(record -> pass.isDone());
        Scheduler planned = Schedulers.newSingle("bench-plan", true);
        if (pass.configuration().options().containsKey(SendPlan.START)) {
            // The source waits until the next record is due. Its own thread keeps this wait from delaying
            // acknowledgements.
            records = records.subscribeOn(planned);
        }
        KafkaSender<byte[], byte[]> sender = KafkaSender.create(options);
        CountDownLatch ended = new CountDownLatch(1);
        if (transaction == 0) {
            Results results = new Results();
            sender.send(results.endingWithLast(records))
                    .doFinally(end -> ended.countDown())
                    .subscribe(
                            written -> {
                                pass.acknowledged(written.correlationMetadata(), valueBytes);
                                results.came();
                            },
                            pass::fail);
        } else {
            inTransactions(sender, records, transaction)
                    .doFinally(end -> ended.countDown())
                    .subscribe(pass::committed, pass::fail);
        }
        pass.awaitDone();
        ended.await();
        sender.close();
        planned.dispose();
    }

    static SenderOptions<byte[], byte[]> options(Map<String, Object> config, Pass pass) {
        SenderOptions<byte[], byte[]> options = SenderOptions.<byte[], byte[]>create(config)
                .withKeySerializer(new ByteArraySerializer())
                .withValueSerializer(new ByteArraySerializer());
        return pass.options().inFlight() > 0
                ? options.maxInFlight(pass.options().inFlight())
                : options;
    }

    /**
     * Emits the number of records in each committed transaction, as known from the input. The results are not counted,
     * because reactor-kafka 1.3.25 can drop results of committed records.
     */
    static <T> Flux<Integer> inTransactions(
            KafkaSender<byte[], byte[]> sender, Flux<SenderRecord<byte[], byte[], T>> records, int most) {
        Queue<Integer> sizes = new ConcurrentLinkedQueue<>();
        return sender.sendTransactionally(records.buffer(most)
                        .doOnNext(some -> sizes.add(some.size()))
                        .map(Flux::fromIterable))
                // If more results follow the last transaction, the queue is empty and nothing is emitted.
                .concatMap(results -> results.then(Mono.defer(() -> Mono.justOrEmpty(sizes.poll()))));
    }
}
