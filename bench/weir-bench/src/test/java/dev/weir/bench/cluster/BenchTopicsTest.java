package dev.weir.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.internals.Topic;
import org.junit.jupiter.api.Test;

class BenchTopicsTest {
    private static final String SHORT = "fill-p12-n1000000-v100-b16384-none-s100x0.9-s10000x0.1";

    private static String mixed(int sizes, String end) {
        return IntStream.range(0, sizes)
                .mapToObj(size -> "-s" + (100 + size) + "x0.0123")
                .collect(Collectors.joining("", "fill-p12-n1000000-v100-b16384-none", end));
    }

    @Test
    void shortName_staysAsItIs_soThatItsTopicIsFoundAgain() {
        assertThat(BenchTopics.shortened(SHORT)).isEqualTo(SHORT);
    }

    /** Regression: brokers refused a topic whose name was too long. */
    @Test
    void longName_isOneOfATopic_alsoBehindALongPrefix() {
        String prefix = "p".repeat(80);
        String name = prefix + BenchTopics.shortened(mixed(40, "")) + "-topic10";
        Topic.validate(name);
        assertThat(new ExistingCluster("h:1", Map.of(), prefix, false).isOfCampaigns(name))
                .isTrue();
    }

    @Test
    void longNames_areAsDifferentAsTheirContents() {
        assertThat(BenchTopics.shortened(mixed(40, "-h1x16")))
                .isNotEqualTo(BenchTopics.shortened(mixed(40, "-h2x16")))
                .isEqualTo(BenchTopics.shortened(mixed(40, "-h1x16")));
    }
}
