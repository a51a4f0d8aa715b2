package dev.weir.kafka.internal.in.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.lean.LeanSettings;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.internals.AutoOffsetResetStrategy.StrategyType;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests the search for a batch that the client could not read. Regression: while brokers did not answer, the consumer
 * ignored its group and a request to stop for up to 20 s.
 */
class ClientFetcherTest {

    private static final TopicPartition BAD = new TopicPartition("t", 0);
    private static final TopicPartition GOOD = new TopicPartition("t", 1);
    private static final TopicPartition PAUSED = new TopicPartition("t", 2);

    private final MockConsumer<byte[], byte[]> client = new MockConsumer<>(StrategyType.EARLIEST.toString());
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch answered = new CountDownLatch(1);
    private final CountDownLatch interrupted = new CountDownLatch(1);
    private final KafkaException failure =
            new KafkaException("Received exception when fetching the next record from t-0");
    private final ClientFetcher fetcher = new ClientFetcher(
            client, new PollBudget(Long.MAX_VALUE, Integer.MAX_VALUE), new ClientRescue(this::noAnswer, 10, 1000));

    private LeanSettings noAnswer() {
        asked.countDown();
        try {
            answered.await();
        } catch (InterruptedException end) {
            interrupted.countDown();
        }
        throw new IllegalStateException("no brokers here");
    }

    @BeforeEach
    void assign() {
        client.assign(Set.of(BAD, GOOD, PAUSED));
        client.updateBeginningOffsets(Map.of(BAD, 0L, GOOD, 0L, PAUSED, 0L));
        fetcher.seek(BAD, LogPosition.at(0));
        fetcher.seek(GOOD, LogPosition.at(0));
        fetcher.seek(PAUSED, LogPosition.at(0));
        fetcher.pause(List.of(PAUSED));
        client.setPollException(failure);
    }

    @AfterEach
    void end() {
        answered.countDown();
        fetcher.close();
    }

    private static ConsumerRecord<byte[], byte[]> record(TopicPartition id, long offset) {
        return new ConsumerRecord<>(id.topic(), id.partition(), offset, new byte[0], new byte[0]);
    }

    @Test
    void poll_whileTheSearchGetsNoAnswer_servesTheGroupAndFetchesNothing() throws Exception {
        assertThat(fetcher.poll(0).isEmpty()).isTrue();
        asked.await();
        assertThat(client.paused()).containsExactlyInAnyOrder(BAD, GOOD, PAUSED);
        CountDownLatch polled = new CountDownLatch(1);
        client.schedulePollTask(polled::countDown);
        assertThat(fetcher.poll(1_000_000_000).isEmpty()).isTrue();
        assertThat(polled.getCount()).isZero();
        assertThat(client.position(BAD)).isZero();
    }

    @Test
    void pausesAndResumes_whileTheSearchRuns_holdAfterwards() throws Exception {
        assertThat(fetcher.poll(0).isEmpty()).isTrue();
        asked.await();
        fetcher.pause(List.of(GOOD));
        fetcher.resume(List.of(PAUSED));
        assertThat(client.paused()).containsExactlyInAnyOrder(BAD, GOOD, PAUSED);
        answered.countDown();
        awaitEndOfSearch();
        assertThat(client.paused()).containsExactly(GOOD);
    }

    @Test
    void poll_afterASearchWithoutAnAnswer_triesAgainAndThenFailsAsTheClientDoes() throws Exception {
        assertThat(fetcher.poll(0).isEmpty()).isTrue();
        asked.await();
        answered.countDown();
        awaitEndOfSearch();
        client.setPollException(failure);
        assertThat(fetcher.poll(0).isEmpty()).isTrue();
        assertThatThrownBy(this::pollForEver)
                .isSameAs(failure)
                .satisfies(thrown -> assertThat(thrown.getSuppressed())
                        .anyMatch(each -> "no brokers here".equals(each.getMessage())));
        assertThat(client.paused()).containsExactly(PAUSED);
    }

    @Test
    void partitionsThatComeAndGo_whileTheSearchRuns_areNoTrouble() throws Exception {
        assertThat(fetcher.poll(0).isEmpty()).isTrue();
        asked.await();
        TopicPartition added = new TopicPartition("t", 3);
        fetcher.withdrawn(List.of(BAD, PAUSED));
        client.assign(Set.of(GOOD, added));
        client.updateBeginningOffsets(Map.of(added, 0L));
        fetcher.seek(added, LogPosition.at(0));
        client.addRecord(record(added, 0));
        assertThat(fetcher.poll(0).elements(0)).hasSize(1);
        answered.countDown();
        awaitEndOfSearch();
        assertThat(client.paused()).doesNotContain(GOOD, added);
        client.addRecord(record(GOOD, 0));
        assertThat(fetcher.poll(0).elements(0)).hasSize(1);
    }

    // Regression: the run failed if a partition was paused during the search.
    @Test
    void partition_thatIsPausedWhileTheSearchRuns_isNotHandedOut() throws Exception {
        var answering = new ClientRescue(this::noAnswer, 10, 1000) {
            @Override
            ClientRescue.Rescued search(ClientRescue.Look look, String hint) {
                asked.countDown();
                assertThatThrownBy(() -> noAnswer()).hasMessage("no brokers here");
                return new ClientRescue.Rescued(BAD, List.of(record(BAD, 0)), 1, null);
            }
        };
        ClientFetcher searching =
                new ClientFetcher(client, new PollBudget(Long.MAX_VALUE, Integer.MAX_VALUE), answering);
        searching.seek(BAD, LogPosition.at(0));
        searching.seek(GOOD, LogPosition.at(0));
        assertThat(searching.poll(0).isEmpty()).isTrue();
        asked.await();
        searching.pause(List.of(BAD));
        answered.countDown();
        while (client.paused().contains(GOOD)) {
            assertThat(searching.poll(0).isEmpty()).isTrue();
        }
        assertThat(searching.position(BAD)).isZero();
        assertThat(client.paused()).contains(BAD);
    }

    @Test
    void close_whileTheSearchRuns_endsItAndDoesNotWait() throws Exception {
        assertThat(fetcher.poll(0).isEmpty()).isTrue();
        asked.await();
        fetcher.close();
        interrupted.await();
    }

    // Regression: the poll failed if an interceptor removed all records of a partition.
    @Test
    void poll_withAPartitionThatAnInterceptorEmptied_returnsTheOthers() {
        Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> filtered = new LinkedHashMap<>();
        filtered.put(GOOD, List.of(record(GOOD, 0)));
        filtered.put(BAD, List.of());
        filtered.put(PAUSED, List.of(record(PAUSED, 0), record(PAUSED, 1)));
        try (MockConsumer<byte[], byte[]> intercepted = new MockConsumer<>(StrategyType.EARLIEST.toString()) {
            @Override
            public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
                return new ConsumerRecords<>(filtered, Map.of());
            }
        }) {
            intercepted.assign(filtered.keySet());
            ClientFetcher behind = new ClientFetcher(intercepted);
            filtered.keySet().forEach(id -> behind.seek(id, LogPosition.at(0)));
            FetchResult fetched = behind.poll(0);
            assertThat(fetched.partitions()).isEqualTo(2);
            assertThat(fetched.elements(1)).hasSize(2);
            assertThat(filtered.keySet()).extracting(behind::position).containsExactly(1L, 0L, 2L);
        }
    }

    private void pollForEver() {
        while (true) {
            assertThat(fetcher.poll(0).isEmpty()).isTrue();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
    }

    private void awaitEndOfSearch() {
        while (client.paused().contains(client.assignment().contains(BAD) ? BAD : GOOD)) {
            assertThat(fetcher.poll(0).isEmpty()).isTrue();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
    }
}
