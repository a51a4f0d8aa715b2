package dev.weir.checks.deploy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The pods of one workload, changed like Kubernetes does. Confined to the test's thread, which closes it. */
final class Pods implements AutoCloseable {

    private final Manifests manifests;
    private final List<String> entryPoint;
    private final Map<String, String> settings;
    private final Path folder;
    private final List<Pod> running = new ArrayList<>();
    private final List<Pod> all = new ArrayList<>();

    Pods(Variant variant, List<String> entryPoint, Map<String, String> settings, Path folder) {
        this.manifests = variant.render(Map.of());
        this.entryPoint = List.copyOf(entryPoint);
        this.settings = new HashMap<>(settings);
        this.folder = folder;
    }

    int replicas() {
        return manifests.workload().tree().at("/spec/replicas").asInt();
    }

    List<Pod> running() {
        return List.copyOf(running);
    }

    /** Scales up or down. New pods start together, and the newest pods get SIGTERM together. */
    void scaleTo(int count) throws IOException {
        List<Pod> going = new ArrayList<>();
        while (running.size() > count) {
            going.add(running.removeLast());
        }
        going.forEach(Pod::sendTerm);
        while (running.size() < count) {
            running.add(start(running.size()));
        }
        running.forEach(Pod::awaitReady);
        going.forEach(Pod::assertEndsWell);
    }

    /**
     * Replaces the pods one after the other. A pod's successor starts after the pod has ended, and must be ready before
     * the next replacement.
     */
    void roll() throws IOException {
        for (int place = 0; place < running.size(); place++) {
            Pod old = running.get(place);
            old.sendTerm();
            old.assertEndsWell();
            running.set(place, start(place));
            running.get(place).awaitReady();
        }
    }

    /** Starts a pod with the name of its predecessor, as in a StatefulSet. Nothing reads the name in a Deployment. */
    private Pod start(int place) throws IOException {
        Pod pod = Pod.start(manifests, entryPoint, "weir-" + place, settings, folder.resolve("pod-" + all.size()));
        all.add(pod);
        return pod;
    }

    @Override
    public void close() {
        all.forEach(Pod::close);
    }
}
