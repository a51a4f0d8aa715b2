package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetersTest {

    @TempDir
    private Path tasks;

    /** Regression: if a thread ended while the counters were read, the context switches of all threads were unknown. */
    @Test
    void switches_whileAThreadEnds_areThoseOfTheOthers() throws IOException {
        for (int thread = 1; thread <= 3; thread++) {
            Files.writeString(
                    Files.createDirectory(tasks.resolve(Integer.toString(thread)))
                            .resolve("status"),
                    "Name:\tjava\nvoluntary_ctxt_switches:\t" + thread + "0\nnonvoluntary_ctxt_switches:\t" + thread
                            + "\n");
        }
        Files.delete(tasks.resolve("2").resolve("status"));
        assertThat(Meters.Switches.read(tasks)).isEqualTo(new Meters.Switches(40, 4));
    }

    @Test
    void switches_onASystemWithoutSuchFiles_areUnknown() {
        assertThat(Meters.Switches.read(tasks.resolve("none"))).isEqualTo(new Meters.Switches(-1, -1));
    }
}
