# tasks.py; run with: celery --app tasks worker
from celery import Celery

app = Celery("tasks", broker="azureservicebus://RootManageSharedAccessKey:SAS_KEY_VALUE@localhost:5672/.net")


@app.task
def add(a, b):
    print(f"the sum is {a + b}")
