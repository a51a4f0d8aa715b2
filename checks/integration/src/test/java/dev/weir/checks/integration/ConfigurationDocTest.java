package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ProducerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code docs/reference/configuration.md} names each setting with its default, and none that does not exist. */
class ConfigurationDocTest {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(classes = {ConsumerSettings.class, ProducerSettings.class})
    void settings_inCodeAndDocument_areTheSame(Class<?> settings) throws IOException {
        String document =
                Files.readString(Path.of(System.getProperty("weir.root"), "docs", "reference", "configuration.md"));
        String chapter = Arrays.stream(document.split("\n## ", -1))
                .filter(text -> text.contains("(`" + settings.getSimpleName() + "`)"))
                .findFirst()
                .orElseThrow();
        List<String> documented = Pattern.compile("(?m)^\\| `(\\w+)` \\|")
                .matcher(chapter)
                .results()
                .map(row -> row.group(1))
                .toList();
        List<String> inCode = Arrays.stream(settings.getDeclaredClasses())
                .filter(Class::isRecord)
                .filter(inner -> inner.getSimpleName().equals("Values"))
                .flatMap(values -> Arrays.stream(values.getRecordComponents()))
                .map(component -> component.getName())
                .toList();
        assertThat(documented).isEqualTo(inCode);
    }

    /** Covers times, counts and choices; the document gives the other defaults in words. */
    @Test
    void defaults_inCodeAndDocument_areTheSame() throws Exception {
        ConsumerSettings<byte[], byte[]> settings =
                ConsumerSettings.builder().bootstrapServers("localhost:9092").build();
        String document =
                Files.readString(Path.of(System.getProperty("weir.root"), "docs", "reference", "configuration.md"));
        String chapter = document.substring(0, document.indexOf("\n## Producer"));
        Map<String, String> documented = new TreeMap<>();
        Map<String, String> inCode = new TreeMap<>();
        for (MatchResult row : Pattern.compile("(?m)^\\| `(\\w+)` \\| ([^|]*) \\|")
                .matcher(chapter)
                .results()
                .toList()) {
            Object value = ConsumerSettings.class.getMethod(row.group(1)).invoke(settings);
            if (value instanceof Duration || value instanceof Integer || value instanceof Enum<?>) {
                documented.put(row.group(1), row.group(2));
                inCode.put(row.group(1), asWritten(value));
            }
        }
        assertThat(documented).hasSizeGreaterThan(8).isEqualTo(inCode);
    }

    private static String asWritten(Object value) {
        if (value instanceof Duration time) {
            assertThat(time).as("is written in seconds").isEqualTo(Duration.ofSeconds(time.toSeconds()));
            return time.toSeconds() + " s";
        }
        return value instanceof Integer count ? String.format(Locale.ROOT, "%,d", count) : "`" + value + "`";
    }

    @Test
    void keysOfFiles_inCodeAndDocument_areTheSame() throws IOException {
        String document =
                Files.readString(Path.of(System.getProperty("weir.root"), "docs", "reference", "configuration.md"));
        List<String> documented = Pattern.compile("(?m)^\\| `(weir\\.[a-z.]+)` \\|")
                .matcher(document)
                .results()
                .map(row -> row.group(1))
                .toList();
        // A refusal that finds nothing near lists all keys.
        Path file = Files.writeString(folder.resolve("any.properties"), "weir.x=1\n");
        assertThatThrownBy(() -> ConsumerSettings.builder().from(file))
                .satisfies(refusal -> assertThat(Pattern.compile("weir\\.[a-z.]{2,}")
                                .matcher(refusal.getMessage())
                                .results()
                                .map(key -> key.group()))
                        .containsExactlyInAnyOrderElementsOf(documented));
    }
}
