package dev.weir.bench.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

class OrderTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final List<TimelineEntry> RECORDED = List.of(
            new TimelineEntry(
                    1_004,
                    new Order.Set(Map.of("producerRate", "0", "work", "0ms", "client.client.id", "a \"b\" \\ c")),
                    2,
                    Map.of("producerRate", "0")),
            new TimelineEntry(2_000, new Order.RestartConsumers("50%"), 700, Map.of("restart-consumers", "1 of 2")),
            new TimelineEntry(3_000, new Order.Pause(1_500), 1_500, Map.of("pause", "all members were paused")),
            new TimelineEntry(3_500, new Order.Pause(2.5), 3, Map.of("pause", "all members were paused")),
            new TimelineEntry(4_000, new Order.Drain(), 300, Map.of("drain", "nothing is left")),
            new TimelineEntry(5_000, new Order.DiscardStats(), 0, Map.of("discard-stats", "begins here")),
            new TimelineEntry(6_000, new Order.Extend(300_000), 0, Map.of("extend", "ends later")),
            new TimelineEntry(7_000, new Order.End(), 0, Map.of("end", "ended")));

    @Test
    void recordedTimeline_isReadBackFromJson_asItWas() throws Exception {
        String json = JSON.writeValueAsString(RECORDED);
        assertThat(JSON.readValue(json, new TypeReference<List<TimelineEntry>>() {}))
                .isEqualTo(RECORDED);
    }

    @Test
    void yamlOfATimeline_hasTheSameOrdersAtTheSameTimes() {
        Object read = new Load(LoadSettings.builder().build()).loadFromString(TimelineEntry.yaml(RECORDED));
        List<Map<String, Object>> entries =
                JSON.convertValue(((Map<?, ?>) read).get("timeline"), new TypeReference<>() {});
        assertThat(entries).hasSameSizeAs(RECORDED);
        for (int i = 0; i < entries.size(); i++) {
            TimelineEntry entry = TimelineEntry.of(entries.get(i));
            assertThat(entry.order()).isEqualTo(RECORDED.get(i).order());
            assertThat(entry.atMillis()).isEqualTo(RECORDED.get(i).atMillis());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"set": {"rate": 5}}                  | there is no key rate to set: there are producerRate, work, consumers, client.PROPERTY
            {"set": {"producerRate": "fast"}}     | producerRate must be a number of records a second from 0 to 1000000: producerRate=fast
            {"set": {"producerRate": 1000001}}    | producerRate must be
            {"set": {"work": 5}}                  | work must be a time such as 500us, 5ms, 1.5s, 5m or 1h: work=5
            {"set": {"work": "2m"}}               | work must be from 0.000s to 60.000s: work=2m
            {"set": {"consumers": 0}}             | consumers must be a whole number from 1 to 1000: consumers=0
            {"set": {}}                           | set needs a key
            {"set": "producerRate=5"}             | set must be keys with values
            {"restart-consumers": "101%"}         | a share from 1% to 100%: restart-consumers=101%
            {"restart-consumers": 0}              | restart-consumers must be a number of consumers from 1 on
            {"pause": "0s"}                       | pause must be from 0.001s to 600.000s: pause=0s
            {"drain": false}                      | drain must be true, or left out: drain=false
            {"stop": true}                        | there is no order stop: there are set, restart-consumers, pause, drain
            {"drain": true, "pause": "1s"}        | one order at a time
            {}                                    | one order at a time
            """)
    void wrongOrder_isRefusedByName_withWhatThereIs(String json, String message) throws Exception {
        Map<String, Object> fields = JSON.readValue(json, new TypeReference<>() {});
        assertThatThrownBy(() -> Order.of(fields))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource({"50%,3,2", "100%,7,7", "1%,60,1", "5,3,3", "2,3,2"})
    void restart_isOfWholeConsumers(String count, int consumers, int expected) {
        assertThat(new Order.RestartConsumers(count).of(consumers)).isEqualTo(expected);
    }
}
