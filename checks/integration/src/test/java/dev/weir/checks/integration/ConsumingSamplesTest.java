package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** The samples of {@code docs/consuming.md}, which stand here word for word. */
class ConsumingSamplesTest {

    private static final Pattern SAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @Test
    void samples_ofTheDocument_areCompiledHere() throws IOException {
        Path root = Path.of(System.getProperty("weir.root"));
        String here = withoutSpace(Files.readString(root.resolve("checks/integration/src/test/java")
                .resolve(getClass().getName().replace('.', '/') + ".java")));
        List<String> samples = SAMPLE.matcher(Files.readString(root.resolve("docs/consuming.md")))
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(samples)
                .isNotEmpty()
                .allSatisfy(sample -> assertThat(here).as(sample).contains(withoutSpace(sample)));
    }

    /** Also without comments: the formatter moves them. */
    private static String withoutSpace(String code) {
        return code.replaceAll("//.*", "").replaceAll("\\s+", "");
    }

    @Test
    @SuppressWarnings("CheckReturnValue") // samples
    void subscriptions() {
        Instant yesterday = Instant.now().minus(Duration.ofDays(1));
        Subscription.topics("orders", "returns"); // what the group gives to this member
        Subscription.pattern("orders-.*"); // also topics that are created later
        Subscription.partitions(new TopicPartition("orders", 0)); // exactly these, without the group's help

        var orders0 = new TopicPartition("orders", 0);
        Subscription.topics("orders").startingAt(Position.end()); // a new group begins with what comes
        Subscription.partitions(orders0)
                .startingAt(Position.time(yesterday)) // the first record as young as that
                .until(orders0, Position.offset(1_000)); // up to 999
        Subscription.topics("orders").untilEnd(); // up to where it ends when the source starts
    }
}
