package dev.weir.kafka.internal.out.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ProducerSettings;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunProducersTest {

    private final MockSurroundings here = new MockSurroundings();

    @AfterEach
    void leave() {
        here.close();
    }

    private ProducerSettings.Builder<String, String> settings() {
        return ProducerSettings.builder(new StringSerializer(), new StringSerializer())
                .bootstrapServers(here.address);
    }

    @Test
    void close_whoseKeySerializerThrows_closesTheValueSerializer() {
        AtomicBoolean closed = new AtomicBoolean();
        StringSerializer keys = new StringSerializer() {
            @Override
            public void close() {
                throw new IllegalStateException("planted");
            }
        };
        StringSerializer values = new StringSerializer() {
            @Override
            public void close() {
                closed.set(true);
            }
        };
        RunProducers<String, String> producers = new RunProducers<>(
                ProducerSettings.builder(keys, values).bootstrapServers("h:1").build());

        assertThatThrownBy(producers::close).hasMessage("planted");

        assertThat(closed).isTrue();
    }

    @Test
    void producers_haveTheSettingsOfTheUser() {
        ProducerSettings<String, String> settings =
                settings().property("client.id", "mine").build();
        RunProducers<String, String> producers = new RunProducers<>(settings);
        assertThat(producers.get()).isSameAs(here.producers.getFirst());
        assertThat(here.configs).containsExactly(settings.clientConfig());

        OrderedWriter.Clients<String, String> own = producers.clients();
        assertThat(own.shared()).isFalse();
        assertThat(own.open().get()).isSameAs(here.producers.get(1));

        MockProducer<String, String> common = new MockProducer<>();
        OrderedWriter.Clients<String, String> shared = producers.sharing(common);
        assertThat(shared.shared()).isTrue();
        assertThat(shared.open().get()).isSameAs(common);
        assertThat(here.producers).hasSize(2);
    }

    @Test
    void transactionalProducer_hasItsId_andTheUsersTimeoutIfThereIsOne() {
        assertThat(new RunProducers<>(settings().build()).transactional("g-weir-1-0", 30_000))
                .isSameAs(here.producers.getFirst());
        ProducerSettings<String, String> longer =
                settings().property("transaction.timeout.ms", "60000").build();
        assertThat(new RunProducers<>(longer).transactional("g-weir-1-1", 30_000))
                .isSameAs(here.producers.get(1));
        Map<String, Object> first = here.configs.get(0);
        assertThat(first).containsEntry("transactional.id", "g-weir-1-0");
        assertThat(first).containsEntry("client.id", "g-weir-1-0");
        assertThat(first).containsEntry("transaction.timeout.ms", 30_000);
        assertThat(here.configs.get(1)).containsEntry("transaction.timeout.ms", "60000");
    }

    /** With another partitioner, nobody can say which partition a key gets, so no record waits for another one. */
    @ParameterizedTest
    @CsvSource({"'', '', true", "partitioner, '', false", "'', true, false", "'', TRUE, false", "'', false, true"})
    void recordsOfAKey_waitForTheFirstOfItsPartition_ifThePartitionerIsKafkas(
            String partitioner, String ignoresKeys, boolean waits) {
        ProducerSettings.Builder<String, String> settings = settings();
        if (!partitioner.isEmpty()) {
            settings.property("partitioner.class", RoundRobinPartitioner.class.getName());
        }
        if (!ignoresKeys.isEmpty()) {
            settings.property("partitioner.ignore.keys", ignoresKeys);
        }
        FirstRecords<String> firsts =
                new RunProducers<>(settings.build()).clients().firsts();
        assertThat(isWaitedFor(firsts)).isEqualTo(waits);
    }

    /** A lean producer keeps the order itself. */
    @Test
    void recordsOfALeanProducer_doNotWait() {
        ProducerSettings<String, String> lean =
                settings().produce(ProducePath.LEAN).build();
        assertThat(isWaitedFor(new RunProducers<>(lean).clients().firsts())).isFalse();
    }

    private static boolean isWaitedFor(FirstRecords<String> firsts) {
        firsts.begin(new MockProducer<>(true, null, new StringSerializer(), new StringSerializer()) {
            @Override
            public List<PartitionInfo> partitionsFor(String topic) {
                return List.of(new PartitionInfo(topic, 0, null, null, null));
            }
        });
        firsts.answered(new ProducerRecord<>("out", "v"));
        ProducerRecord<String, String> keyed = new ProducerRecord<>("out", "k", "v");
        assertThat(firsts.before(keyed)).isNull();
        firsts.sent(new CompletableFuture<>());
        return firsts.before(keyed) != null;
    }
}
