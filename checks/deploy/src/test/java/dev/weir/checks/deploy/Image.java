package dev.weir.checks.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/** An image created by the build, unpacked into a folder of the caller. Immutable. */
final class Image {

    static final Path ROOT = Path.of(System.getProperty("weir.root"));

    @FunctionalInterface
    interface EntryReader {
        void read(TarArchiveEntry entry, InputStream content) throws IOException;
    }

    private final Path folder;
    private final JsonNode manifest;
    private final JsonNode description;

    private Image(Path folder) throws IOException {
        ObjectMapper json = new ObjectMapper();
        this.folder = folder;
        this.manifest = json.readTree(folder.resolve("manifest.json").toFile()).required(0);
        this.description = json.readTree(
                folder.resolve(manifest.required("Config").asText()).toFile());
    }

    /** Unpacks the tar file of the command's image, but not its layers. */
    static Image open(Path folder) throws IOException {
        return open("weir-image", folder);
    }

    /** Unpacks the tar file of the module's image, but not its layers. */
    static Image open(String module, Path folder) throws IOException {
        Path file = ROOT.resolve(module).resolve("target/" + Path.of(module).getFileName() + ".tar");
        assertThat(file).as("made by: ./mvnw -pl " + module + " -am package").exists();
        try (InputStream in = Files.newInputStream(file)) {
            read(in, unpackingTo(folder));
        }
        return new Image(folder);
    }

    List<String> tags() {
        return texts(manifest.required("RepoTags"));
    }

    /** Returns the image's configuration: user, entry point, labels and so on. */
    JsonNode config() {
        return description.required("config");
    }

    JsonNode description() {
        return description;
    }

    List<String> entryPoint() {
        return texts(config().required("Entrypoint"));
    }

    int layers() {
        return manifest.required("Layers").size();
    }

    /** Reads all files and folders of a layer; 0 is the lowest. */
    void readLayer(int layer, EntryReader reader) throws IOException {
        String name = manifest.required("Layers").required(layer).asText();
        try (InputStream in = new GZIPInputStream(Files.newInputStream(folder.resolve(name)))) {
            read(in, reader);
        }
    }

    /** Unpacks all layers on top of each other, with links and permissions. */
    void unpack(Path root) throws IOException, InterruptedException {
        for (JsonNode layer : manifest.required("Layers")) {
            Path file = folder.resolve(layer.asText());
            Process tar = new ProcessBuilder("tar", "-xzpf", file.toString(), "--numeric-owner", "-C", root.toString())
                    .redirectErrorStream(true)
                    .start();
            String said = new String(tar.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(tar.waitFor()).as(said).isZero();
        }
    }

    /**
     * Returns the image's entry point as a command of this machine, with this test's JVM. Rewrites the class path file
     * in {@code root}.
     */
    List<String> command(Path root) throws IOException {
        List<String> command = new ArrayList<>();
        for (String word : entryPoint()) {
            if (word.equals("java")) {
                command.add(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString());
            } else if (word.startsWith("@/")) {
                Path classPath = root.resolve(word.substring(2));
                Path here = classPath.resolveSibling("class-path-here");
                Files.writeString(here, Files.readString(classPath).replace("/app/", root.resolve("app") + "/"));
                command.add("@" + here);
            } else if (!word.startsWith("--sun-misc-unsafe")
                    || Runtime.version().feature() >= 23) {
                command.add(word);
            }
        }
        return command;
    }

    private static EntryReader unpackingTo(Path root) {
        return (entry, content) -> {
            Path file = root.resolve(entry.getName()).normalize();
            assertThat(file.startsWith(root)).as(entry.getName()).isTrue();
            if (entry.isDirectory()) {
                Files.createDirectories(file);
            } else {
                Files.createDirectories(file.getParent());
                Files.copy(content, file);
            }
        };
    }

    private static void read(InputStream in, EntryReader reader) throws IOException {
        try (TarArchiveInputStream tar = new TarArchiveInputStream(new BufferedInputStream(in))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                reader.read(entry, tar);
            }
        }
    }

    static List<String> texts(JsonNode array) {
        return Stream.iterate(0, i -> i < array.size(), i -> i + 1)
                .map(i -> array.get(i).asText())
                .toList();
    }
}
