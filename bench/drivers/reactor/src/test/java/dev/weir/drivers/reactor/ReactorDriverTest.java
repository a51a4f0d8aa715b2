package dev.weir.drivers.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.kafka.sender.KafkaSender;
import reactor.kafka.sender.SenderRecord;

class ReactorDriverTest {

    /**
     * The mock sender ends before it reports its last results. Their records are committed, so they must be counted.
     */
    @Test
    void transactionWhoseResultsAreDropped_countsWhole() {
        assertThat(ReactorDriver.inTransactions(sender(Flux.empty()), records(2_500), 1_000)
                        .collectList()
                        .block())
                .containsExactly(1_000, 1_000, 500);
    }

    @Test
    void transactionThatFails_doesNotCount() {
        Flux<Integer> committed = ReactorDriver.inTransactions(
                sender(Flux.error(new IllegalStateException("refused"))), records(2_500), 1_000);
        assertThat(committed.onErrorReturn(-1).collectList().block()).containsExactly(-1);
    }

    /** Reactor Kafka drops results once its input has ended. The input must therefore end after the last result. */
    @Test
    void recordsThatAreSent_endWithTheResultOfTheLast() {
        Results results = new Results();
        List<String> signals = new ArrayList<>();
        var unused = results.endingWithLast(Flux.just("first", "second"))
                .subscribe(signals::add, failure -> signals.add("failed"), () -> signals.add("ended"));
        assertThat(signals).containsExactly("first", "second");
        results.came();
        assertThat(signals).containsExactly("first", "second");
        results.came();
        assertThat(signals).containsExactly("first", "second", "ended");
    }

    @Test
    void recordsWithResultsBeforeTheirEnd_end() {
        Results results = new Results();
        assertThat(results.endingWithLast(Flux.range(0, 3))
                        .doOnNext(i -> results.came())
                        .collectList()
                        .block(Duration.ofSeconds(10)))
                .containsExactly(0, 1, 2);
    }

    private static Flux<SenderRecord<byte[], byte[], Long>> records(int count) {
        return Flux.range(0, count)
                .map(i -> SenderRecord.create(new ProducerRecord<>("topic", 0, null, new byte[16]), (long) i));
    }

    /** Returns a sender that emits {@code end} as the results of each transaction. */
    @SuppressWarnings("unchecked")
    private static KafkaSender<byte[], byte[]> sender(Flux<?> end) {
        return (KafkaSender<byte[], byte[]>) Proxy.newProxyInstance(
                ReactorDriverTest.class.getClassLoader(),
                new Class<?>[] {KafkaSender.class},
                (proxy, method, arguments) -> {
                    Publisher<Publisher<?>> transactions = (Publisher<Publisher<?>>) arguments[0];
                    return Flux.from(transactions)
                            .concatMap(records -> Flux.from(records).then().thenReturn(end))
                            .concatWithValues(Flux.empty());
                });
    }
}
