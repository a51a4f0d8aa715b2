package dev.weir.checks.deploy;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.TemplateCommand;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The three ways to run a pipe in {@code deploy/kubernetes}, all rendered from the chart. */
enum Variant {
    BASE("base", ""),
    STATIC_MEMBERS("overlays/static-members", "staticMembers"),
    SHARE_GROUP("overlays/share-group", "share.enabled");

    /** Values that enable objects beyond plain Kubernetes. */
    static final Map<String, String> SCALING = Map.of("serviceMonitor.enabled", "true", "autoscaling.enabled", "true");

    static final Path CHART = Image.ROOT.resolve("deploy/helm/weir");

    private final String folder;
    private final String flag;

    Variant(String folder, String flag) {
        this.folder = folder;
        this.flag = flag;
    }

    Path folder() {
        return Image.ROOT.resolve("deploy/kubernetes").resolve(folder);
    }

    /** Renders like {@code helm template weir deploy/helm/weir --set ...}. */
    Manifests render(Map<String, String> more) {
        Map<String, String> all = new LinkedHashMap<>(more);
        if (!flag.isEmpty()) {
            all.put(flag, "true");
        }
        return render(CHART, all);
    }

    /**
     * Renders like {@code helm template weir deploy/helm/weir -f values}. Helm treats numbers in a file differently
     * from numbers in --set.
     */
    static Manifests render(Path values) {
        return Manifests.of(new Helm(CHART)
                .template()
                .withName("weir")
                .withValuesFile(values)
                .call());
    }

    static Manifests render(Path chart, Map<String, String> values) {
        TemplateCommand template = new Helm(chart).template().withName("weir");
        values.forEach(template::set);
        return Manifests.of(template.call());
    }
}
