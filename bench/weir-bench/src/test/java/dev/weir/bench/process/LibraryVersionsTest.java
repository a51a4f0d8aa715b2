package dev.weir.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.BenchException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests class paths of Kafka's server: downloads, reuse, and refusals with Maven's message. */
class LibraryVersionsTest {

    @TempDir
    private Path root;

    private void maven(String script) throws IOException {
        Path maven = Files.writeString(root.resolve("mvnw"), "#!/bin/sh\n" + script);
        assertThat(maven.toFile().setExecutable(true)).isTrue();
    }

    /** Installs a script in place of Maven. The script writes this class path into the file that its option names. */
    private void mavenThatWrites(String classPath) throws IOException {
        maven("echo \"$@\" >> " + root.resolve("calls") + "\n"
                + "for each; do case $each in -Dmdep.outputFile=*) file=${each#*=};; esac; done\n"
                + "mkdir -p \"$(dirname \"$file\")\"; printf '%s' '" + classPath + "' > \"$file\"\n");
    }

    @Test
    void server_isFetchedOnce_andAgainIfAJarIsGone() throws IOException {
        Path server = Files.createFile(root.resolve("kafka_2.13-4.3.1.jar"));
        Path clients = Files.createFile(root.resolve("kafka-clients-4.3.1.jar"));
        mavenThatWrites(server + File.pathSeparator + clients);
        LibraryVersions versions = new LibraryVersions(root);
        assertThat(versions.serverClassPath("4.3.1")).containsExactly(server, clients);
        assertThat(versions.serverClassPath("4.3.1")).containsExactly(server, clients);
        assertThat(root.resolve("calls")).content().hasLineCount(1).contains("-Dserver.version=4.3.1");

        Files.delete(clients);
        var unused = versions.serverClassPath("4.3.1");
        assertThat(root.resolve("calls")).content().hasLineCount(2);
    }

    @Test
    void serverOfNoRelease_isRefusedWithWhatMavenSaid() throws IOException {
        maven("echo '[ERROR] Could not find it'\nexit 1\n");
        assertThatThrownBy(() -> new LibraryVersions(root).serverClassPath("4.99.0"))
                .isInstanceOf(BenchException.class)
                .hasMessageContainingAll(
                        "brokerVersion=4.99.0", "org.apache.kafka:kafka_2.13:4.99.0", "Could not find it", "downloads");
    }

    @Test
    void serverWithoutACheckout_isRefusedWithThePlace() {
        assertThatThrownBy(() -> new LibraryVersions(root).serverClassPath("4.3.1"))
                .isInstanceOf(BenchException.class)
                .hasMessageContainingAll("brokerVersion=4.3.1", "there is none in " + root);
    }
}
