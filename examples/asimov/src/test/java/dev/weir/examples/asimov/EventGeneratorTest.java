package dev.weir.examples.asimov;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.weir.examples.asimov.proto.PageView;
import dev.weir.examples.asimov.proto.Parameter;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

class EventGeneratorTest {
    private static final int EVENTS = 40_000;

    private final EventGenerator generator = new EventGenerator(1);

    @Test
    void value_sameSeedAndIndex_isTheSameInAnyOrderAndThread() {
        int[] forward = IntStream.range(0, EVENTS).map(i -> hash(generator, i)).toArray();
        EventGenerator other = new EventGenerator(1);
        int[] parallel = IntStream.range(0, EVENTS)
                .parallel()
                .map(i -> EVENTS - 1 - i)
                .map(i -> hash(other, i))
                .toArray();

        assertThat(IntStream.range(0, EVENTS).map(i -> parallel[EVENTS - 1 - i]))
                .containsExactly(box(forward));
        assertThat(hash(new EventGenerator(2), 0)).isNotEqualTo(forward[0]);
    }

    @Test
    void value_pinnedSeed_neverChanges() {
        // If this figure changes, old seeds generate different events; the change log must say so.
        int hash = 1;
        for (int i = 0; i < 1000; i++) {
            hash = 31 * hash + hash(generator, i);
        }
        assertThat(hash).isEqualTo(-1_273_729_074);
    }

    @Test
    void translate_everyEvent_givesWhatTheGeneratorForetells() throws InvalidProtocolBufferException {
        AsimovTranslator translator = new AsimovTranslator();
        Map<Reason, Integer> deaths = new EnumMap<>(Reason.class);
        Set<String> names = new HashSet<>();
        int shortest = Integer.MAX_VALUE;
        int longest = 0;
        long compressedBytes = 0;
        for (int i = 0; i < EVENTS; i++) {
            byte[] value = generator.value(i);
            compressedBytes += value.length;
            Optional<Reason> foretold = generator.malformed(i);
            switch (translator.translate(value)) {
                case Malformed malformed -> {
                    assertThat(foretold).as("event %d: %s", i, malformed).contains(malformed.reason());
                    deaths.merge(malformed.reason(), 1, Integer::sum);
                }
                case Translated translated -> {
                    assertThat(foretold).as("event %d", i).isEmpty();
                    assertThat(translated.key()).isEqualTo(generator.key(generator.session(i)));
                    PageView view = PageView.parseFrom(translated.protobuf());
                    assertThat(view.getSequence()).isEqualTo(i);
                    shortest = Math.min(shortest, view.getPayload().length());
                    longest = Math.max(longest, view.getPayload().length());
                    view.getUrl().getParametersList().stream()
                            .map(Parameter::getName)
                            .forEach(names::add);
                }
            }
        }
        assertThat(deaths)
                .hasSize(5)
                .allSatisfy((reason, count) -> assertThat(count).isBetween(40, 130));
        assertThat(deaths.values().stream().mapToInt(Integer::intValue).sum()).isBetween(340, 460);
        assertThat(names).contains("filter[price][min]", "filter[brand][]", "next", "flag");
        assertThat(shortest).isBetween(90, 200);
        assertThat(longest).isBetween(49_500, 50_100);
        assertThat(compressedBytes / EVENTS).isBetween(800L, 1300L);
    }

    @Test
    void session_manyEvents_isSkewedAndReachesTheTail() {
        int[] events = new int[EventGenerator.SESSIONS];
        for (int i = 0; i < 500_000; i++) {
            events[generator.session(i)]++;
        }
        assertThat(events[0]).as("busiest").isBetween(15_000, 25_000);
        assertThat(Arrays.stream(events).filter(count -> count > 0).count()).isGreaterThan(9_900);
    }

    @Test
    void record_anyEvent_isKeyedAndNumbered() {
        ProducerRecord<byte[], byte[]> record = generator.record("in", 123_456_789_012L);

        assertThat(record.topic()).isEqualTo("in");
        assertThat(record.key()).isEqualTo(generator.key(generator.session(123_456_789_012L)));
        assertThat(record.value()).isEqualTo(generator.value(123_456_789_012L));
        assertThat(EventGenerator.sequence(record.headers())).isEqualTo(123_456_789_012L);
    }

    @Test
    void sequence_noOrOddHeader_isNone() {
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>("in", new byte[0]);
        assertThat(EventGenerator.sequence(record.headers())).isEqualTo(EventGenerator.NO_SEQUENCE);

        record.headers().add(EventGenerator.SEQUENCE_HEADER, new byte[7]);
        assertThat(EventGenerator.sequence(record.headers())).isEqualTo(EventGenerator.NO_SEQUENCE);
    }

    private static int hash(EventGenerator generator, int index) {
        return Arrays.hashCode(generator.value(index));
    }

    private static Integer[] box(int[] values) {
        return Arrays.stream(values).boxed().toArray(Integer[]::new);
    }
}
