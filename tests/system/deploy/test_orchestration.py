"""Kubernetes manifests say what compose.yaml says, and both are well-formed by their tools' own checks."""

import subprocess
import sys

import kubernetes_validate
import pytest
import yaml

from casino.devstack.home import PROJECT
from tests.system.deploy.compose import COMPOSE, OURS, services

KUBERNETES = PROJECT / "deploy" / "kubernetes"
MANIFESTS = [
    document for path in sorted(KUBERNETES.glob("*.yaml")) for document in yaml.safe_load_all(path.read_text())
]
VERSIONS = ("1.30", "1.34")


def of_kind(*kinds):
    return {each["metadata"]["name"]: each for each in MANIFESTS if each["kind"] in kinds}


PODS = {name: each["spec"]["template"] for name, each in of_kind("Deployment", "Job").items()}


def container(name):
    (only,) = PODS[name]["spec"]["containers"]
    return only


def variables(name):
    """Return the variables of a process in the cluster, by what they come from."""
    config, secret = container(name)["envFrom"]
    return {
        **of_kind("ConfigMap")[config["configMapRef"]["name"]]["data"],
        **of_kind("Secret")[secret["secretRef"]["name"]]["stringData"],
        **{each["name"]: each["value"] for each in container(name)["env"]},
    }


def test_compose_follows_its_schema():
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(COMPOSE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda each: f"{each['kind']} {each['metadata']['name']}")
def test_a_manifest_follows_the_schemas_of_kubernetes(manifest, version):
    kubernetes_validate.validate(manifest, version, strict=True)


def test_the_cluster_has_the_processes_of_compose():
    assert set(PODS) == set(OURS)
    assert {each["metadata"]["labels"]["process"] for each in PODS.values()} == set(OURS)


@pytest.mark.parametrize("name", OURS)
def test_the_cluster_runs_the_commands_of_compose_with_the_same_variables(name):
    composed = services()[name]
    assert container(name)["command"] == composed["command"]
    assert set(variables(name)) == set(composed["environment"])
    for each in container(name)["env"]:
        if each["name"] not in {"CONTAINER_IMAGES", "EMAIL_HOST", "EMAIL_FROM"}:
            assert each["value"] == composed["environment"][each["name"]], each["name"]


@pytest.mark.parametrize("name", OURS)
def test_a_pod_can_do_no_more_than_it_must(name):
    pod, only = PODS[name]["spec"], container(name)
    assert pod["automountServiceAccountToken"] is False
    assert pod["enableServiceLinks"] is False  # these would be variables that begin with CASINO_
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert only["securityContext"] == {
        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
    }  # fmt: skip
    assert "@sha256:" in only["image"]
    assert only["resources"]["limits"]["memory"] == only["resources"]["requests"]["memory"]


@pytest.mark.parametrize("name", OURS)
def test_a_container_has_the_memory_of_its_pod(name):
    def size(text):
        return text.lower().removesuffix("i")

    folder = next(each for each in PODS[name]["spec"]["volumes"] if each["name"] == "tmp")["emptyDir"]
    assert size(container(name)["resources"]["limits"]["memory"]) == services()[name]["mem_limit"]
    in_memory = folder.get("medium") == "Memory"
    assert services()[name]["tmpfs"] == [f"/tmp:size={size(folder['sizeLimit'])}"] * in_memory  # noqa: S108
    assert ("/tmp" in services()[name].get("volumes", [])) is not in_memory  # noqa: S108


def test_no_container_takes_the_memory_or_the_processes_of_the_host():
    for name, service in services().items():
        assert service["mem_limit"], name
        assert 0 < service["pids_limit"] <= 400, name
        assert all(":size=" in each for each in service.get("tmpfs", ())), name


def test_what_scales_protects_and_serves_names_a_process():
    for each in of_kind("HorizontalPodAutoscaler").values():
        assert each["spec"]["scaleTargetRef"]["name"] in of_kind("Deployment")
        assert of_kind("Deployment")[each["spec"]["scaleTargetRef"]["name"]]["spec"]["replicas"] >= 2
    selectors = [each["spec"]["selector"]["matchLabels"] for each in of_kind("PodDisruptionBudget").values()]
    selectors += [each["spec"]["selector"] for each in of_kind("Service").values()]
    for labels in selectors:
        assert labels == {"app": "casino", "process": labels["process"]}
        assert labels["process"] in PODS


def test_the_service_and_the_probe_use_the_port_that_the_web_listens_on():
    port = container("web")["command"][-1]
    (published,) = container("web")["ports"]
    assert str(published["containerPort"]) == port
    assert f":{port}/readyz" in container("web")["readinessProbe"]["exec"]["command"][-1]
    assert services()["web"]["healthcheck"]["test"][1:] == container("web")["readinessProbe"]["exec"]["command"]


@pytest.mark.parametrize("name", [name for name in OURS if name not in {"migrate", "web"}])
def test_every_process_that_answers_no_http_is_checked_by_its_heartbeat(name):
    file = services()[name]["environment"]["HEARTBEAT_FILE"]
    command = ["python", "manage.py", "healthcheck", file]
    assert services()[name]["healthcheck"]["test"] == ["CMD", *command]
    assert container(name)["livenessProbe"]["exec"]["command"] == command
    assert {"name": "tmp", "mountPath": "/tmp"} in container(name)["volumeMounts"]  # noqa: S108  (in a container)


def test_only_the_processes_that_call_others_reach_the_world():
    (expression,) = of_kind("NetworkPolicy")["to-the-world-by-https"]["spec"]["podSelector"]["matchExpressions"]
    assert set(expression["values"]) == {"web", "worker-background", "worker-outbound", "watch"}
    assert of_kind("NetworkPolicy")["nothing-unless-allowed"]["spec"]["podSelector"] == {}
