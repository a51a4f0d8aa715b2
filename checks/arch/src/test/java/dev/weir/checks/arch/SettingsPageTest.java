package dev.weir.checks.arch;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Checks that {@code docs/reference/configuration.md} lists the settings of the code. {@code -Dweir.write=true}
 * rewrites its tables.
 */
class SettingsPageTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));
    private static final Path PAGE = ROOT.resolve("docs/reference/configuration.md");

    /** Types with a builder that are described on other pages, or do not configure an application. */
    private static final Set<String> ELSEWHERE = Set.of(
            "WeirSettings", // Returns only builders, which have chapters.
            "KafkaCluster", // Brokers for tests, described in testkit.md.
            "NumberRuns", // A driver's own: weir-driver.
            "Tuner", // Tries values of the controls, described in console.md.
            "TuneReading", // This class and the following ones are results of measurements.
            "Snapshot",
            "ConsumerDump",
            "PartitionDump",
            "LeanMetrics",
            "LeanProducerMetrics");

    @Test
    void tables_areWhatTheCodeSays() throws IOException {
        String page = Files.readString(PAGE);
        String expected = new SettingsPage(ROOT).with(page);
        if (Boolean.getBoolean("weir.write")) {
            Files.writeString(PAGE, expected);
            page = expected;
        }
        assertThat(page)
                .as("docs/reference/configuration.md; it says how its tables are written anew")
                .isEqualTo(expected);
    }

    @Test
    void everyTypeWithSettings_hasAChapter() {
        List<String> missing = new ArrayList<>();
        for (WeirModule module : List.of(
                WeirModule.STREAM,
                WeirModule.LEAN,
                WeirModule.KAFKA,
                WeirModule.METRICS,
                WeirModule.CONSOLE,
                WeirModule.TESTKIT,
                WeirModule.OTEL,
                WeirModule.JDBC,
                WeirModule.SPRING,
                WeirModule.DRIVER)) {
            for (JavaClass type : module.mainClasses()) {
                String name = nameOfSettings(type);
                if (name != null && !SettingsPage.chapters().contains(name) && !ELSEWHERE.contains(name)) {
                    missing.add(type.getName());
                }
            }
        }
        assertThat(missing).as("types with settings that are in no chapter").isEmpty();
    }

    /** Returns the name of the settings type that a public type is or builds, or null. */
    private static String nameOfSettings(JavaClass type) {
        boolean isSeen = type.getModifiers().contains(JavaModifier.PUBLIC)
                && !(type.getPackageName() + ".").contains(".internal.");
        if (!isSeen) {
            return null;
        }
        if (type.getSimpleName().equals("Builder")) {
            return type.getEnclosingClass().map(JavaClass::getSimpleName).orElseThrow();
        }
        return type.getSimpleName().endsWith("Settings") && type.isTopLevelClass() ? type.getSimpleName() : null;
    }
}
