package dev.weir.checks.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The unpacked archive of the command. Its commands keep their caches below a folder of the test. Immutable. */
final class Archive {

    /** The time limit for a command. Usually it needs far less. */
    static final Duration PATIENCE = Duration.ofMinutes(3);

    private final Path root;
    private final Path home;

    private Archive(Path root, Path home) {
        this.root = root;
        this.home = home;
    }

    static Path file() {
        Path file =
                Published.ROOT.resolve("weir-dist/target/weir-" + Pom.parent().child("version") + ".tar.gz");
        assertThat(file).as("made by ./mvnw package -pl weir-dist").matches(Files::isRegularFile, "is there");
        return file;
    }

    /** Unpacks the archive as a release's README says. */
    static Archive unpackedIn(Path folder) throws IOException, InterruptedException {
        Process tar = new ProcessBuilder("tar", "-xzf", file().toString(), "-C", folder.toString())
                .inheritIO()
                .start();
        assertThat(tar.waitFor()).isZero();
        Path root = folder.resolve("weir-" + Pom.parent().child("version"));
        return at(root, folder.resolve("home of a user"));
    }

    /** Returns the archive unpacked in this folder, for a user with this home folder. */
    static Archive at(Path root, Path home) throws IOException {
        return new Archive(root, Files.createDirectories(home));
    }

    Path root() {
        return root;
    }

    Path caches() {
        return home.resolve(".cache/weir/aot");
    }

    List<Path> cacheFiles() throws IOException {
        if (!Files.isDirectory(caches())) {
            return List.of();
        }
        try (var files = Files.list(caches())) {
            return files.toList();
        }
    }

    Run start(Map<String, String> environment, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(root.resolve("bin/weir").toString()));
        command.addAll(List.of(arguments));
        File out = Files.createTempFile(home, "out", "").toFile();
        File err = Files.createTempFile(home, "err", "").toFile();
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(home.toFile())
                .redirectOutput(out)
                .redirectError(err);
        builder.environment().keySet().removeIf(name -> name.startsWith("WEIR_") || name.equals("XDG_CACHE_HOME"));
        builder.environment().put("HOME", home.toString());
        builder.environment().put("WEIR_JAVA_HOME", System.getProperty("java.home"));
        builder.environment().putAll(environment);
        return new Run(builder.start(), out.toPath(), err.toPath());
    }

    /** Runs a command that must succeed; returns its standard output. */
    String run(String... arguments) throws IOException, InterruptedException {
        try (Run run = start(Map.of(), arguments)) {
            return run.succeeded();
        }
    }

    /** A running command. Closing kills its remaining processes. */
    record Run(Process process, Path outFile, Path errFile) implements AutoCloseable {

        String succeeded() throws IOException, InterruptedException {
            assertThat(ended()).as(err()).isZero();
            return out();
        }

        /** Waits for the end; returns the exit status. */
        int ended() throws IOException, InterruptedException {
            assertThat(process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS))
                    .as("ended within %s; so far it said: %s", PATIENCE, err())
                    .isTrue();
            return process.exitValue();
        }

        String out() throws IOException {
            return Files.readString(outFile);
        }

        String err() throws IOException {
            return Files.readString(errFile);
        }

        @Override
        public void close() {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().onExit().join();
        }
    }
}
