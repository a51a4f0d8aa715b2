package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ProducerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code docs/reference/configuration.md} names each setting, and none that does not exist. */
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
