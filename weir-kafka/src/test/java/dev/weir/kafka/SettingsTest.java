package dev.weir.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {

    private static ConsumerSettings.Builder<byte[], byte[]> consumer() {
        return ConsumerSettings.builder().bootstrapServers("h:1").groupId("g");
    }

    private static ProducerSettings.Builder<byte[], byte[]> producer() {
        return ProducerSettings.builder().bootstrapServers("h:1");
    }

    private static void refuses(
            UnaryOperator<ConsumerSettings.Builder<byte[], byte[]>> change, String... partsOfMessage) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> change.apply(consumer()).build())
                .withMessageContainingAll(partsOfMessage);
    }

    @Test
    void consumer_outOfBounds_refusesWithNameValueAndBound() {
        refuses(s -> s.commitInterval(Duration.ZERO), "commitInterval=PT0S", "PT0.001S");
        refuses(s -> s.commitInterval(Duration.ofMinutes(11)), "commitInterval=PT11M", "PT10M");
        refuses(s -> s.commitRecords(0), "commitRecords=0", "1");
        refuses(s -> s.maxOutstandingRecords(1_000_001), "maxOutstandingRecords=1000001", "1000000");
        refuses(s -> s.bufferBytes(1_000), "bufferBytes=1000", "1048576");
        refuses(s -> s.revokeDeadline(Duration.ofMinutes(5)), "revokeDeadline=PT5M", "PT4M");
        refuses(s -> s.commitMetadataChars(-1), "commitMetadataChars=-1", "0");
        refuses(s -> s.commitMetadataChars(32_768), "commitMetadataChars=32768", "32767");
        refuses(s -> s.groupId(" "), "group.id");
        refuses(s -> s.bootstrapServers(""), "bootstrap.servers");
        refuses(s -> s.property("auto.offset.reset", "begin"), "auto.offset.reset=begin", "earliest");
        refuses(s -> s.property("auto.offset.reset", "by_duration:1h"), "by_duration:1h");
        refuses(s -> s.property("enable.auto.commit", "true"), "enable.auto.commit=true");
    }

    @Test
    void consumer_groupProtocolConsumer_setsNoClassicAssignor() {
        assertThat(consumer().build().clientConfig()).containsKey(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG);
        assertThat(consumer().property("group.protocol", "CONSUMER").build().clientConfig())
                .doesNotContainKey(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG);
    }

    @ParameterizedTest
    @CsvSource({"1, 500", "8, 1024", "16, 2048", "128, 2048"})
    void consumer_buffer_saysHowManyRecordsAPollMayBring(int megabytes, int records) {
        assertThat(consumer().bufferBytes(megabytes << 20).build().clientConfig())
                .extractingByKey(ConsumerConfig.MAX_POLL_RECORDS_CONFIG)
                .hasToString(Integer.toString(records));
    }

    @Test
    void consumer_ownProperties_winOverDefaultsButNotOverSafety() {
        Properties file = new Properties();
        file.setProperty("max.poll.records", "7");
        file.setProperty("key.deserializer", "Nonsense");
        var config = consumer().properties(file).build().clientConfig();
        assertThat(config)
                .containsEntry("max.poll.records", "7")
                .containsEntry("enable.auto.commit", false)
                .doesNotContainValue("Nonsense");
    }

    @Test
    void builder_changedAfterBuild_leavesWhatWasBuilt() {
        var builder = consumer();
        var built = builder.build();
        builder.property("client.id", "later");
        assertThat(built.properties()).doesNotContainKey("client.id");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1"})
    void producer_weakAcks_refuses(String acks) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> producer().property("acks", acks).build())
                .withMessageContaining("acks=" + acks);
    }

    @Test
    void producer_whatWouldBreakOrder_refuses() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> producer().property("enable.idempotence", "false").build())
                .withMessageContaining("enable.idempotence=false");
        assertThat(producer()
                        .property("enable.idempotence", "false")
                        .property("max.in.flight.requests.per.connection", "1")
                        .build()
                        .clientConfig())
                .containsEntry(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "false");
    }

    @Test
    void producer_transactionalId_refuses() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> producer().property("transactional.id", "t").build())
                .withMessageContaining("transactional.id=t");
    }

    @Test
    void consumer_offsetReset_isPassedOnAsNoneAndKeptAsPosition() {
        assertThat(consumer().build().startWithoutCommit()).isEqualTo(Position.beginning());
        var latest = consumer().property("auto.offset.reset", "latest").build();
        assertThat(latest.startWithoutCommit()).isEqualTo(Position.end());
        assertThat(latest.clientConfig()).containsEntry("auto.offset.reset", "none");
        assertThat(consumer().property("auto.offset.reset", "none").build().startWithoutCommit())
                .isNull();
    }

    @Test
    void subscription_untilOnePartition_endsTheOthersAtTheirEnd() {
        TopicPartition first = new TopicPartition("t", 0);
        Subscription bounded = Subscription.topics("t").until(first, Position.offset(7));
        assertThat(bounded.isBounded()).isTrue();
        assertThat(bounded.end().of(first)).isEqualTo(Position.offset(7));
        assertThat(bounded.end().of(new TopicPartition("t", 1))).isEqualTo(Position.end());
        assertThat(Subscription.topics("t").isBounded()).isFalse();
    }

    @Test
    void subscription_thatMeansNothing_refuses() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Subscription.pattern("a["))
                .withMessageContaining("pattern=a[");
        assertThatIllegalArgumentException().isThrownBy(Subscription::partitions);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Position.offset(-1))
                .withMessageContaining("offset=-1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Subscription.topics("t").until(Position.beginning()));
    }

    @Test
    void subscription_blankTopic_refuses() {
        assertThatIllegalArgumentException().isThrownBy(() -> Subscription.topics(List.of()));
        assertThatIllegalArgumentException().isThrownBy(() -> Subscription.topics("a", " "));
    }

    @Test
    void priority_ofWhatIsNotRead_isRefused() {
        assertThatThrownBy(() -> Subscription.topics("orders").priority("ordres", 1))
                .hasMessageContaining("priority=ordres of [orders]");
        assertThatThrownBy(() -> Subscription.pattern("orders-.*").priority("orders", 1))
                .hasMessageContaining("priority=orders of topics matching orders-.*");
        assertThatThrownBy(() -> Subscription.partitions(new TopicPartition("orders", 0))
                        .priority(new TopicPartition("orders", 1), 1))
                .hasMessageContaining("priority=orders-1 of [orders-0]");
    }

    /** Regression: a start position was ignored if its topic was misspelled or its partition was not read. */
    @Test
    void positionOfAPartition_thatIsNotRead_isRefused() {
        TopicPartition other = new TopicPartition("ordres", 1);
        assertThatThrownBy(() -> Subscription.topics("orders").startingAt(other, Position.end()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("startingAt=ordres-1 of [orders]");
        assertThatThrownBy(() -> Subscription.pattern("orders-.*").until(other, Position.offset(3)))
                .hasMessageContaining("until=ordres-1 of topics matching orders-.*");
        assertThatThrownBy(() ->
                        Subscription.partitions(new TopicPartition("ordres", 0)).startingAt(other, Position.end()))
                .hasMessageContaining("startingAt=ordres-1 of [ordres-0]");
    }

    @Test
    void priority_ofAPartition_goesBeforeThatOfItsTopic() {
        Subscription.Priorities priorities = Subscription.topics("orders", "alerts")
                .priority("alerts", 5)
                .priority(new TopicPartition("alerts", 1), -5)
                .startingAt(Position.end())
                .untilEnd()
                .priorities();
        assertThat(priorities.of(new TopicPartition("alerts", 0))).isEqualTo(5);
        assertThat(priorities.of(new TopicPartition("alerts", 1))).isEqualTo(-5);
        assertThat(priorities.of(new TopicPartition("orders", 1))).isZero();
    }
}
