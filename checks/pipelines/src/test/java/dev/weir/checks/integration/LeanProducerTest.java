package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.lean.LeanCompression;
import dev.weir.lean.LeanException;
import dev.weir.lean.LeanProducer;
import dev.weir.lean.LeanProducerSettings;
import dev.weir.lean.LeanRecord;
import dev.weir.lean.LeanRecords;
import dev.weir.lean.SendException;
import dev.weir.lean.SendListener;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests a lean producer against a real broker. Kafka's own consumer checks the result. */
@Timeout(120)
class LeanProducerTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static LeanProducerSettings.Builder settings() {
        return LeanProducerSettings.builder().bootstrapServers(KAFKA.bootstrapServers());
    }

    private static List<ConsumerRecord<byte[], byte[]>> read(String topic) {
        return Records.readAll(KAFKA.bootstrapServers(), topic, IsolationLevel.READ_UNCOMMITTED);
    }

    @ParameterizedTest
    @EnumSource(LeanCompression.class)
    void records_sentToSixPartitions_areReadBackOnceInOrder(LeanCompression codec) throws Exception {
        int count = codec == LeanCompression.NONE ? 100_000 : 5_000;
        String topic = "six-" + codec;
        KAFKA.cluster().createTopic(topic, 6);
        SendLedger ledger = new SendLedger(count, 6);
        try (LeanProducer producer = LeanProducer.open(
                settings().compression(codec).batchBytes(16 * 1024).build(), ledger)) {
            ledger.send(producer, topic, 0, count);
            assertThat(producer.flush(LONG).isEmpty()).isTrue();
            assertThat(ledger.acknowledged).hasValue(count);
            assertThat(producer.metrics().acknowledged()).isEqualTo(count);
            assertThat(producer.metrics().freeBytes())
                    .isEqualTo(settings().build().bufferBytes());
        }
        ledger.assertAllOnceInOrder(KAFKA.bootstrapServers(), topic);
    }

    /** Mixes records with a partition, with a key, and with neither. They do not fit into one batch. */
    @Test
    void recordsPutTogetherBefore_areWrittenInOrder_eachToldByTheirToken() throws Exception {
        KAFKA.cluster().createTopic("together", 3);
        int count = 9_000;
        LeanRecords together = new LeanRecords();
        LeanRecord record = new LeanRecord("together");
        for (int n = 0; n < count; n++) {
            byte[] text = Integer.toString(n).getBytes(StandardCharsets.US_ASCII);
            record.reset().value(text).timestamp(n % 7 == 0 ? LeanRecord.NOW : n);
            switch (n / 50 % 3) {
                case 0 -> record.partition(n / 150 % 3);
                case 1 -> record.key(text);
                default -> {}
            }
            together.add(record);
        }
        AtomicLong told = new AtomicLong();
        SendListener listener = new SendListener() {
            @Override
            public void acknowledged(long token, String topic, int partition, long offset) {
                told.addAndGet(token);
            }

            @Override
            public void failed(long token, SendException why) {
                throw new AssertionError(why);
            }
        };
        try (LeanProducer producer = LeanProducer.open(
                settings()
                        .batchBytes(4 * 1024)
                        .bufferBytes(64 * 1024)
                        .maxRequestBytes(16 * 1024)
                        .build(),
                listener)) {
            producer.send(together, 0, count, 5);
            assertThat(producer.flush(LONG).isEmpty()).isTrue();
        }
        assertThat(told).hasValue(5L * count);
        List<ConsumerRecord<byte[], byte[]>> all = read("together");
        assertThat(Records.numbers(all)).hasSize(count).doesNotHaveDuplicates();
        for (int partition = 0; partition < 3; partition++) {
            int number = partition;
            assertThat(Records.numbers(all.stream()
                            .filter(each -> each.partition() == number)
                            .toList()))
                    .isSorted();
        }
        assertThat(all).allSatisfy(each -> {
            int n = Integer.parseInt(new String(each.value(), StandardCharsets.US_ASCII));
            if (n % 7 != 0) {
                assertThat(each.timestamp()).isEqualTo(n);
            }
            if (n / 50 % 3 == 0) {
                assertThat(each.partition()).isEqualTo(n / 150 % 3);
            }
        });
    }

    @Test
    void keys_goWhereTheOfficialProducerPutsThem_withHeadersAndTimes() throws Exception {
        KAFKA.cluster().createTopic("keys", 5);
        SendLedger ledger = new SendLedger(200, 5);
        try (LeanProducer lean = LeanProducer.open(settings().build(), ledger);
                KafkaProducer<byte[], byte[]> official = new KafkaProducer<>(
                        Map.of("bootstrap.servers", KAFKA.bootstrapServers()),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            LeanRecord record = new LeanRecord("keys");
            for (int i = 0; i < 200; i++) {
                byte[] key = ("key " + i).getBytes(StandardCharsets.UTF_8);
                var unused = official.send(new ProducerRecord<>("keys", key, new byte[] {1}));
                record.key(key).value(new byte[] {2}).timestamp(1_000L + i).noHeaders();
                lean.send(record.header("i", new byte[] {(byte) i}), i);
            }
        }
        List<ConsumerRecord<byte[], byte[]>> all = read("keys");
        for (int i = 0; i < 200; i++) {
            String key = "key " + i;
            List<ConsumerRecord<byte[], byte[]>> both = all.stream()
                    .filter(each -> new String(each.key(), StandardCharsets.UTF_8).equals(key))
                    .toList();
            assertThat(both).hasSize(2);
            assertThat(both.getFirst().partition())
                    .as(key)
                    .isEqualTo(both.getLast().partition());
            ConsumerRecord<byte[], byte[]> ours = both.get(both.getFirst().value()[0] == 2 ? 0 : 1);
            assertThat(ours.timestamp()).isEqualTo(1_000L + i);
            assertThat(ours.headers().lastHeader("i").value()).containsExactly(i);
        }
    }

    @Test
    void recordsWithoutKey_useAllPartitions_inWholeBatches() throws Exception {
        KAFKA.cluster().createTopic("sticky", 4);
        SendLedger ledger = new SendLedger(20_000, 4);
        try (LeanProducer producer =
                LeanProducer.open(settings().batchBytes(4 * 1024).build(), ledger)) {
            LeanRecord record = new LeanRecord("sticky").value(new byte[50]);
            for (int i = 0; i < 20_000; i++) {
                producer.send(record, i);
            }
            producer.flush(LONG);
            assertThat(ledger.acknowledged).hasValue(20_000);
        }
        assertThat(KAFKA.cluster().endOffsets("sticky").values())
                .hasSize(4)
                .allSatisfy(end -> assertThat(end).isGreaterThan(1_000));
    }

    @Test
    void batchLargerThanTheBrokerTakes_isDivided_andARecordThatIsRefused() throws Exception {
        KAFKA.cluster().createTopic("small", 1, Map.of("max.message.bytes", "5000"));
        SendLedger ledger = new SendLedger(301, 1);
        try (LeanProducer producer =
                LeanProducer.open(settings().linger(Duration.ofSeconds(1)).build(), ledger)) {
            LeanRecord record = new LeanRecord("small").partition(0);
            for (int i = 0; i <= 300; i++) {
                producer.send(record.value(new byte[i == 100 ? 10_000 : 100]), i);
            }
            assertThat(producer.flush(LONG).isEmpty()).isTrue();
            assertThat(producer.metrics().dividedBatches()).isGreaterThan(5);
        }
        assertThat(ledger.acknowledged).hasValue(300);
        assertThat(ledger.failures).singleElement().satisfies(failure -> {
            assertThat(failure).hasMessageStartingWith("small-0: MESSAGE_TOO_LARGE");
            assertThat(failure.topic() + failure.partition()).isEqualTo("small0");
            assertThat(failure.mayBeWritten()).isFalse();
        });
        assertThat(read("small")).hasSize(300);
    }

    @Test
    void whatCannotBeTaken_isRefusedAtOnceByName() {
        KAFKA.cluster().createTopic("refusing", 2);
        SendLedger ledger = new SendLedger(10, 2);
        try (LeanProducer producer = LeanProducer.open(settings().build(), ledger)) {
            LeanRecord record = new LeanRecord("refusing").partition(1);
            assertThatExceptionOfType(SendException.class)
                    .isThrownBy(() -> producer.send(record.value(new byte[2_000_000]), 0))
                    .withMessageStartingWith("refusing-1: a record of 20000")
                    .withMessageContaining("maxRequestBytes=1048576");
            producer.close(LONG);
            assertThatIllegalStateException()
                    .isThrownBy(() -> producer.send(record.topic("refusing").partition(0), 0))
                    .withMessageContaining("closed");
        }
        assertThat(ledger.acknowledged).hasValue(0);
        assertThat(ledger.failures).isEmpty();
    }

    @Test
    void topicThatIsNotThere_isWaitedForAsLongAsSaid() {
        SendLedger ledger = new SendLedger(1, 1);
        LeanProducerSettings settings =
                settings().maxBlock(Duration.ofSeconds(1)).build();
        try (LeanProducer producer = LeanProducer.open(settings, ledger)) {
            LeanRecord record = new LeanRecord("missing");
            assertThatExceptionOfType(LeanException.class)
                    .isThrownBy(() -> producer.send(record, 0))
                    .withMessageContaining("topic missing was not found within maxBlock");
            assertThat(producer.trySend(record, 0)).isFalse();
        }
    }

    @Test
    void brokerThatIsNotThere_leavesWhatCloseSaysWasNotWritten() throws Exception {
        try (KafkaCluster own = KafkaCluster.builder().start()) {
            own.createTopic("gone", 2);
            SendLedger ledger = new SendLedger(11, 2);
            LeanProducer producer = LeanProducer.open(
                    settings().bootstrapServers(own.bootstrapServers()).build(), ledger);
            ledger.send(producer, "gone", 0, 1);
            producer.flush(LONG);
            own.broker(1).stop();
            ledger.send(producer, "gone", 1, 10);
            assertThat(producer.flush(Duration.ofMillis(50)).records()).isEqualTo(10);
            assertThat(producer.close(Duration.ofMillis(50))).hasToString("10 records (gone-0: 5, gone-1: 5)");
            assertThat(ledger.failures)
                    .hasSize(10)
                    .allSatisfy(
                            failure -> assertThat(failure).hasMessageContaining("closed before it was acknowledged"));
            assertThat(producer.metrics().failed()).isEqualTo(10);
        }
    }

    @Test
    void fullBuffer_makesTrySendFalse_andSendWait_andNothingIsLost() throws Exception {
        KAFKA.cluster().createTopic("full", 8);
        int count = 8_000;
        SendLedger ledger = new SendLedger(count, 8);
        // The linger is a minute, so only calls without linger send batches.
        try (LeanProducer producer = LeanProducer.open(
                settings()
                        .batchBytes(4 * 1024)
                        .bufferBytes(16 * 1024)
                        .maxRequestBytes(16 * 1024)
                        .linger(Duration.ofMinutes(1))
                        .build(),
                ledger)) {
            ledger.send(producer, "full", 0, count / 2);
            LeanRecord record = new LeanRecord("full");
            long refused = 0;
            for (int n = count / 2; n < count; n++) {
                record.partition(n % 8).value(Long.toString(n).getBytes(StandardCharsets.US_ASCII));
                while (!producer.trySend(record, n)) {
                    refused++;
                    Thread.onSpinWait();
                }
            }
            assertThat(refused).isPositive();
            assertThat(producer.flush(LONG).isEmpty()).isTrue();
        }
        ledger.assertAllOnceInOrder(KAFKA.bootstrapServers(), "full");
    }

    @Test
    void tlsAndSasl_areThoseOfTheClient(@TempDir Path folder) throws Exception {
        try (SecuredKafka secured = SecuredKafka.start(folder)) {
            secured.cluster().createTopic("secured", 3, Map.of("cleanup.policy", "delete"));
            SendLedger ledger = new SendLedger(3_000, 3);
            try (LeanProducer producer = LeanProducer.open(secured(secured, SecuredKafka.PASSWORD), ledger)) {
                ledger.send(producer, "secured", 0, 3_000);
                assertThat(producer.flush(LONG).isEmpty()).isTrue();
            }
            ledger.assertAllOnceInOrder(secured.cluster().bootstrapServers(), "secured");
            try (LeanProducer producer = LeanProducer.open(secured(secured, "wrong"), ledger)) {
                assertThatExceptionOfType(LeanException.class)
                        .isThrownBy(() -> ledger.send(producer, "secured", 0, 1))
                        .withMessageContaining("did not accept the connection")
                        .withMessageContaining("Authentication failed");
            }
        }
    }

    private static LeanProducerSettings secured(SecuredKafka kafka, String password) throws Exception {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(kafka.clientConfig(password))) {
            properties.load(reader);
        }
        return LeanProducerSettings.builder()
                .properties(properties)
                .bootstrapServers(kafka.bootstrapServers())
                .build();
    }
}
