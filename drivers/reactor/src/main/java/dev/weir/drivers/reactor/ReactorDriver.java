package dev.weir.drivers.reactor;

import dev.weir.driver.Driver;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.kafka.receiver.KafkaReceiver;
import reactor.kafka.receiver.ReceiverOptions;

/**
 * {@code receive}, with or without acknowledgements, and {@code receiveAtmostOnce}. Confined to the main thread; Reactor's
 * schedulers run the streams.
 */
final class ReactorDriver implements Driver {

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.CONSUME, Scenario.AT_LEAST_ONCE, Scenario.AT_MOST_ONCE);
    }

    @Override
    public void run(Pass pass) throws Exception {
        Map<String, Object> config = new HashMap<>(pass.consumerConfig(Map.of()));
        boolean acknowledges = pass.configuration().scenario() == Scenario.AT_LEAST_ONCE;
        ReceiverOptions<byte[], byte[]> options = ReceiverOptions.<byte[], byte[]>create(config)
                .withKeyDeserializer(new ByteArrayDeserializer())
                .withValueDeserializer(new ByteArrayDeserializer())
                .subscription(List.of(pass.configuration().topic()))
                .commitBatchSize(0)
                .commitInterval(acknowledges ? Duration.ofMillis(pass.commitIntervalMillis()) : Duration.ZERO);
        KafkaReceiver<byte[], byte[]> receiver = KafkaReceiver.create(options);
        Flux<?> records = switch (pass.configuration().scenario()) {
            case CONSUME -> receiver.receive().doOnNext(record -> pass.delivered(record.partition(), record.value()));
            case AT_LEAST_ONCE ->
                receiver.receive().doOnNext(record -> {
                    pass.delivered(record.partition(), record.value());
                    record.receiverOffset().acknowledge();
                });
            case AT_MOST_ONCE ->
                receiver.receiveAtmostOnce().doOnNext(record -> pass.delivered(record.partition(), record.value()));
            default ->
                throw new IllegalArgumentException(
                        "not offered: " + pass.configuration().scenario());
        };
        Disposable subscription = records.subscribe(record -> {}, pass::fail);
        pass.awaitDone();
        subscription.dispose();
    }
}
