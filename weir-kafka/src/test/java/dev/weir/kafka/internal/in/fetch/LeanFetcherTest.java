package dev.weir.kafka.internal.in.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.internal.meters.DecodeTime;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeanFetcherTest {

    private static final TopicPartition ID = new TopicPartition("t", 0);

    // Regression: if a decoder failed during a rebalance, finished records of the revoked partitions were not
    // committed.
    @ParameterizedTest
    @ValueSource(classes = {IllegalStateException.class, StackOverflowError.class})
    void faultWhileARebalanceWaits_isThrownByTheNextPoll(Class<? extends Throwable> type) throws Exception {
        Throwable planted = type.getConstructor(String.class).newInstance("planted");
        MockConsumer<byte[], byte[]> client = new MockConsumer<>("earliest");
        client.updateBeginningOffsets(Map.of(ID, 0L));
        client.assign(List.of(ID));
        LeanFetcher fetcher = new LeanFetcher(client, failing(planted), new DecodeTime(1), 100, Duration.ofMinutes(5));
        fetcher.assigned(List.of(ID));
        fetcher.seek(ID, LogPosition.at(0));
        assertThat(fetcher.canFetchOnly()).isTrue();
        assertThat(fetcher.fetchOnly(0).isEmpty()).isTrue();
        assertThat(fetcher.canFetchOnly()).isFalse();
        assertThatThrownBy(() -> fetcher.poll(0)).isSameAs(planted);
    }

    private LeanReader failing(Throwable failure) {
        return (LeanReader) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LeanReader.class}, (self, method, args) -> {
                    if (method.getName().equals("turn")) {
                        throw failure;
                    }
                    return method.getReturnType() == boolean.class ? true : null;
                });
    }
}
