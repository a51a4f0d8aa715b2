package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that children use the archive. A JVM silently ignores an archive that does not match, and starts more slowly.
 */
@Timeout(60)
class ChildJvmTest {

    @TempDir
    private Path folder;

    @Test
    void command_ofAPackagedBuild_hasItsClassesFromTheArchive() throws Exception {
        Path loaded = folder.resolve("loaded");
        List<String> command = ChildJvm.command();
        command.addAll(List.of("-Xlog:class+load:file=" + loaded, "dev.weir.cli.Main", "--version"));
        Process weir = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("said").toFile())
                .start();
        assertThat(weir.waitFor(50, TimeUnit.SECONDS)).isTrue();

        assertThat(Files.readAllLines(folder.resolve("said")))
                .hasSize(3)
                .first()
                .asString()
                .startsWith("Weir ");
        assertThat(Files.readAllLines(loaded))
                .filteredOn(line -> line.contains(" dev.weir.cli.Main source: "))
                .singleElement()
                .asString()
                .as("the class path of %s", command)
                .satisfies(line -> assertThat(line.endsWith("source: shared objects file (top)"))
                        .isEqualTo(ChildJvm.isPackaged()));
    }

    @Test
    void broker_ofAPackagedBuild_hasMostOfItsClassesFromTheArchive() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder().forked().start()) {
            Path counters = folder.resolve("counters");
            Process jcmd = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                    .toString(),
                            Long.toString(cluster.broker(1).pid()),
                            "PerfCounter.print")
                    .redirectOutput(counters.toFile())
                    .start();
            assertThat(jcmd.waitFor(50, TimeUnit.SECONDS)).isTrue();
            List<String> lines = Files.readAllLines(counters);
            double shared = count(lines, "java.cls.sharedLoadedClasses");
            // The JDK's own archive contains a fifth of the classes loaded by a broker.
            assertThat(shared / (shared + count(lines, "java.cls.loadedClasses")) > 0.6)
                    .as("%s", lines)
                    .isEqualTo(ChildJvm.isPackaged());
        }
    }

    private static long count(List<String> lines, String counter) {
        return lines.stream()
                .filter(line -> line.startsWith(counter + "="))
                .mapToLong(line -> Long.parseLong(line.substring(counter.length() + 1)))
                .sum();
    }
}
